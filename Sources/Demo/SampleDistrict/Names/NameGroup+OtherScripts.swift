extension NameGroup {
    static let otherScripts = [
        // Japanese; 𠮷 lies outside the Basic Multilingual Plane
        NameGroup(
            weight: 4,
            given: """
                陽翔=haruto, 葵=aoi, 蓮=ren, 結衣=yui, さくら=sakura, 大和=yamato, 凛=rin, 湊=minato, 千尋=chihiro, \
                颯太=sota
                """,
            family: "佐々木=sasaki, 田中=tanaka, 𠮷田=yoshida, 髙橋=takahashi, 山本=yamamoto, 渡邉=watanabe, 小林=kobayashi"
        ),
        // Korean
        NameGroup(
            weight: 4,
            given: "서연=seoyeon, 도윤=doyun, 하은=haeun, 지호=jiho, 수아=sua, 예준=yejun, 지우=jiwoo, 은서=eunseo, 시우=siwoo",
            family: "박=park, 이=lee, 최=choi, 정=jung, 강=kang, 윤=yoon, 남궁=namgung"
        ),
        // Chinese
        NameGroup(
            weight: 4,
            given: "伟=wei, 芳=fang, 子涵=zihan, 雨桐=yutong, 浩然=haoran, 思琪=siqi, 俊杰=junjie, 欣怡=xinyi, 明=ming",
            family: "王=wang, 李=li, 张=zhang, 陈=chen, 刘=liu, 赵=zhao, 欧阳=ouyang"
        ),
        // Arabic
        NameGroup(
            weight: 3,
            given: "ليلى=layla, عمر=omar, نور=noor, يوسف=yusuf, مريم=maryam, خالد=khalid, سلمى=salma, طارق=tariq",
            family: "الخطيب=alkhatib, حداد=haddad, المصري=almasri, نجار=najjar, منصور=mansour, بن علي=benali"
        ),
        // Hebrew
        NameGroup(
            weight: 2,
            given: "נועה=noa, איתן=eitan, תמר=tamar, יונתן=yonatan, מאיה=maya, אורי=uri, שירה=shira",
            family: "כהן=cohen, לוי=levi, מזרחי=mizrahi, פרץ=peretz, בן דוד=bendavid, אברהם=avraham"
        ),
        // Cyrillic
        NameGroup(
            weight: 4,
            given: """
                Олена=olena, Дмитро=dmytro, Надія=nadiia, Юрій=yurii, Ольга=olga, Фёдор=fyodor, Ксения=ksenia, \
                Лев=lev
                """,
            family: """
                Шевченко=shevchenko, Бондаренко=bondarenko, Мельник=melnyk, Ткачук=tkachuk, Гончар=honchar, \
                Черных=chernykh
                """
        ),
        // Greek; these family names are genitives, the same for everyone
        NameGroup(
            weight: 2,
            given: "Ελένη=eleni, Γιώργος=giorgos, Δάφνη=dafni, Νίκος=nikos, Ίρις=iris, Θεόδωρος=theodoros",
            family: """
                Παπαγεωργίου=papageorgiou, Οικονόμου=oikonomou, Νικολάου=nikolaou, Ιωάννου=ioannou, \
                Αθανασίου=athanasiou
                """
        ),
        // Devanagari
        NameGroup(
            weight: 3,
            given: """
                आरव=aarav, अनन्या=ananya, ईशान=ishaan, प्रिया=priya, रोहन=rohan, काव्या=kavya, अर्जुन=arjun, \
                मीरा=meera
                """,
            family: "शर्मा=sharma, वर्मा=verma, पटेल=patel, गुप्ता=gupta, जोशी=joshi, मिश्रा=mishra"
        ),
    ]
}
