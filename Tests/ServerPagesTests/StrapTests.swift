import Foundation
import Testing

@testable import ServerPages

/// The strap says to whom the account belongs.
@Suite struct StrapTests {
    @Test("every page with a managed account hangs on its organization's strap")
    func managed() throws {
        let pages = try Pages()
        let form = Samples.form
        let managed: [any Page] = [
            Samples.consent(), Samples.notAllowed(), Samples.stopSharing(), Samples.administratorAccount(),
            NotSharedPage(app: Samples.app(), organization: Samples.organization, reason: .appNotListed, back: form),
            ChangePasswordPage(
                form: form, person: Samples.chen, account: Samples.managed, policy: .standard,
                reason: .temporary(switchAccount: form)),
            ChangePasswordPage(
                form: form, person: Samples.chen, account: Samples.managed, policy: .standard,
                reason: .chosen(cancelPath: "/")),
            AddDevicePage(form: form, owner: Samples.organization, cancelPath: "/"),
            DeviceRegistrationPage(code: "WDJB", minutes: 15, owner: Samples.organization, accountPath: "/"),
            SignOutConfirmPage(app: nil, person: Samples.chen, account: Samples.managed, decision: form),
            NextStepsPage(organization: Samples.organization, userName: "ana", consolePath: "/"),
        ]
        let tone = Samples.organization.tone.number
        for page in managed {
            #expect(pages.render(page).contains(#"<svg class="strap owned tone-\#(tone)""#), "\(type(of: page))")
        }
        let personal: [any Page] = [
            Samples.notAllowed(role: .personal, account: .personal, contacts: []), Samples.testSchoolConsent,
            SignOutConfirmPage(app: nil, person: Samples.nadia, account: .personal, decision: form),
        ]
        for page in personal { #expect(pages.render(page).contains(#"<svg class="strap" "#), "\(type(of: page))") }
    }

    @Test("the colour that an organization has chosen wins over the one of its id (pages 3.1)")
    func chosen() throws {
        for tone in Tone.allCases {
            #expect(Badge(name: "Maple", id: "1", tone: tone).tone == tone)
        }
        #expect(Badge(name: "Maple", id: "1").tone == Badge(name: "Oak", id: "1").tone)
    }

    @Test("white letters can be read on every colour, and each is told from the page, light and dark (pages 3.1)")
    func contrast() throws {
        let style = String(decoding: Resources.style, as: UTF8.self)
        let tones = style.matches(of: /\.tone-(\d) \{ --tone: (#[0-9a-f]{6}); fill: (#[0-9a-f]{6}); \}/)
        #expect(tones.map { String($0.1) } == Tone.allCases.map { String($0.number) })
        for match in tones {
            #expect(match.2 == match.3)
            let tone = try #require(UInt32(match.2.dropFirst(), radix: 16))
            #expect(contrast(tone, 0xffffff) >= 6.1, "\(match.2)")
            // The strap and badges are pictures: what they say stands beside them in words.
            #expect(contrast(tone, 0xeef0ef) >= 3, "\(match.2)")
            #expect(contrast(tone, 0x181c1d) >= 2, "\(match.2)")
        }
    }

    /// WCAG 2.2.
    private func contrast(_ one: UInt32, _ other: UInt32) -> Double {
        let (a, b) = (luminance(one), luminance(other))
        return (max(a, b) + 0.05) / (min(a, b) + 0.05)
    }

    private func luminance(_ colour: UInt32) -> Double {
        let parts = [16, 8, 0].map { shift -> Double in
            let part = Double((colour >> UInt32(shift)) & 0xff) / 255
            return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }
}
