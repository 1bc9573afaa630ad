import Directory
import Testing

@Suite struct FullNameTests {
    @Test(
        "names are written in the order of their language",
        arguments: [
            ("Nadia", "Okoye", "Nadia Okoye"), ("太郎", "山田", "山田太郎"), ("さくら", "佐々木", "佐々木さくら"),
            ("민준", "김", "김민준"), ("ソフィア", "ガルシア", "ソフィア ガルシア"), ("Mei", "王", "Mei 王"), ("明", "Lee", "明 Lee"),
        ])
    func order(givenName: String, familyName: String, fullName: String) {
        #expect(Person.fullName(givenName: givenName, familyName: familyName) == fullName)
    }
}
