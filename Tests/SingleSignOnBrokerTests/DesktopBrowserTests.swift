import Testing

@testable import SingleSignOnBroker

@Suite struct DesktopBrowserTests {
    @Test func `of the session's environment only what leads to the desktop is taken`() {
        let text = """
            HOME=/home/mika
            DISPLAY=:0
            LD_PRELOAD=/tmp/evil.so
            XAUTHORITY=/run/user/1000/x=y
            WAYLAND_DISPLAY=$'way\\nland'
            PATH=/tmp
            nonsense
            """
        #expect(DesktopBrowser.environment(in: text) == ["DISPLAY": ":0", "XAUTHORITY": "/run/user/1000/x=y"])
        #expect(DesktopBrowser.environment(in: "") == [:])
    }
}
