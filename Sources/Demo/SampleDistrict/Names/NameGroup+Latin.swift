extension NameGroup {
    static let latin = [
        // English
        NameGroup(
            weight: 14, usesMiddleNames: true,
            given: "Grace, Oliver, Amelia, Noah, Isla, Theo, Maisie, Ethan, Ruby, Caleb, Hazel, Jude, Willa, Miles",
            family: """
                Whitfield, O'Brien, Hartley-Jones, Brooks, Ellison, Marsh, Calloway, Thornton, Pike, Ashworth, \
                Lowell, St. Clair
                """
        ),
        // Spanish and Portuguese
        NameGroup(
            weight: 8, usesMiddleNames: true,
            given: """
                Ana María=anamaria, José=jose, Lucía=lucia, Íñigo=inigo, Sofía=sofia, Mateo, Inés=ines, João=joao, \
                Beatriz, Andrés=andres, Begoña=begona, Raúl=raul
                """,
            family: """
                García=garcia, Muñoz=munoz, de la Cruz, Peña=pena, Ibáñez=ibanez, Conceição=conceicao, \
                Gonçalves=goncalves, Herrera, Núñez=nunez, Sepúlveda=sepulveda
                """
        ),
        // French
        NameGroup(
            weight: 4, usesMiddleNames: true,
            given: """
                Zoé=zoe, François=francois, Anaïs=anais, Loïc=loic, Hélène=helene, Éloi=eloi, Maëlle=maelle, \
                Côme=come
                """,
            family: """
                Lefèvre=lefevre, Dubois, Béranger=beranger, Garçon=garcon, L'Hôte=lhote, Noël=noel, Crête=crete
                """
        ),
        // German
        NameGroup(
            weight: 4, usesMiddleNames: true,
            given: "Jürgen=juergen, Käthe=kaethe, Jörg=joerg, Lena, Sören=soeren, Annegret, Björn=bjoern, Mila",
            family: """
                Müller=mueller, Weiß=weiss, Schröder=schroeder, von der Heide, Köhler=koehler, Bauer, Groß=gross
                """
        ),
        // Nordic
        NameGroup(
            weight: 4,
            given: """
                Åsa=asa, Søren=soren, Freyja, Håkon=hakon, Linnéa=linnea, Jökull=jokull, Päivi=paivi, \
                Øyvind=oyvind
                """,
            family: """
                Østergaard=ostergaard, Ångström=angstrom, Söderberg=soderberg, Hægstad=haegstad, Mäkelä=makela, \
                Dahl
                """
        ),
        // Polish, Czech and South Slavic
        NameGroup(
            weight: 4,
            given: """
                Łukasz=lukasz, Zofia, Jiří=jiri, Božena=bozena, Małgorzata=malgorzata, Dušan=dusan, \
                Željka=zeljka
                """,
            family: "Wójcik=wojcik, Nowak, Dąbek=dabek, Šimić=simic, Horvat, Đurić=duric, Żak=zak, Wróbel=wrobel"
        ),
        // Turkish
        NameGroup(
            weight: 3,
            given: "Çağla=cagla, İbrahim=ibrahim, Şule=sule, Gökçe=gokce, Işıl=isil, Ömer=omer, Uğur=ugur",
            family: "Yılmaz=yilmaz, Özdemir=ozdemir, Çelik=celik, Şahin=sahin, Güneş=gunes, Koçoğlu=kocoglu"
        ),
        // Vietnamese
        NameGroup(
            weight: 3,
            given: """
                Hương=huong, Quốc Bảo=quocbao, Thảo=thao, Đức=duc, Minh Châu=minhchau, Tuấn=tuan, \
                Ngọc Ánh=ngocanh
                """,
            family: "Nguyễn=nguyen, Trần=tran, Lê=le, Phạm=pham, Đặng=dang, Huỳnh=huynh"
        ),
        // Yoruba, Igbo and Akan; some letters are a base and combining marks
        NameGroup(
            weight: 3,
            given: "Adébáyọ̀=adebayo, Olúwaṣeun=oluwaseun, Ọlábísí=olabisi, Kwame, Àbẹ̀kẹ́=abeke, Chiamaka, Kofi",
            family: "Okonkwo, Adéyẹmí=adeyemi, Nwosu, Mensah, Ògúnlẹ́yẹ=ogunleye, Ọṣìnọ́wọ̀=osinowo"
        ),
    ]
}
