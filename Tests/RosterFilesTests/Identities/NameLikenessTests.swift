import Testing

@testable import RosterFiles

@Suite struct NameLikenessTests {
    private func difference(
        _ former: (String, String?, String), _ name: (String, String?, String)
    ) -> NameLikeness.Difference {
        NameLikeness().difference(
            between: NameLikeness.Name(given: former.0, middle: former.1, family: former.2),
            and: NameLikeness.Name(given: name.0, middle: name.1, family: name.2))
    }

    @Test(
        "spellings of one name are one name",
        arguments: [
            (("Ana María", nil, "Ruiz"), ("Ana Maria", nil, "Ruíz")),
            (("Ana", "María", "Ruiz"), ("María", nil, "Ruiz")),
            (("Tomasz", nil, "Lis"), ("Tom", nil, "Lis")), (("Katherine", nil, "Hall"), ("Catherine", nil, "Hall")),
            (("Min Jun", nil, "Kim"), ("Minjun", nil, "Kim")), (("민준", nil, "김"), ("민준", nil, "김")),
            (("Ana", nil, "Ruiz"), ("Ruiz", nil, "Ana")), (("Нина", nil, "Орлова"), ("Nina", nil, "Orlova")),
            (("O’Neil", nil, "Ó Briain"), ("Oneil", nil, "O Briain")),
        ] as [((String, String?, String), (String, String?, String))])
    func same(former: (String, String?, String), name: (String, String?, String)) {
        #expect(difference(former, name) == NameLikeness.Difference(given: false, family: false))
    }

    @Test("other people have other names")
    func other() {
        #expect(difference(("Ana", nil, "Ruiz"), ("Eva", nil, "Ruiz")).given)
        #expect(!difference(("Ana", nil, "Ruiz"), ("Ana", nil, "Weber")).given)
        #expect(difference(("Ana", nil, "Ruiz"), ("Ana", nil, "Weber")).family)
        #expect(
            difference(("민준", nil, "김"), ("서연", nil, "박")) == NameLikeness.Difference(given: true, family: true))
        #expect(
            difference(("Ana", "Lena", "Ruiz"), ("Emil", nil, "Weber"))
                == NameLikeness.Difference(given: true, family: true))
    }
}
