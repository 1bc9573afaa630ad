@testable import OpenIDExtension
import Testing
