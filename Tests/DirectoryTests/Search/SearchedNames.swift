/// Pieces of names in every script, much like each other, and with the signs that mean something to SQL.
enum SearchedNames {
    static let all = [
        "Ana", "ANA", "Juana", "Núñez", "Nu\u{301}n\u{303}ez", "Zoë", "Weiß", "Straße", "O'Neil", "100%", "a_b", "x\\y",
        "김",
        "대한", "김대한", "田中", "大輔", "李", "ﾀﾛｳ", "タロウ", "ヤマダ", "Олена", "ЁЛКА", "Ελένη", "عائشة", "नदिया", "Ａｎｎａ", "ﬁ",
        "İpek", "ı", "Đặng", "𠮷", "in1in", "an", "q",
    ]
}
