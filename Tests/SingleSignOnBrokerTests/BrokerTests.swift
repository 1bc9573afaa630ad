@testable import SingleSignOnBroker
import Testing
