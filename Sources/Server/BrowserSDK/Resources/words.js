// MARK: Words

const types = ["sign-in", "continue", "sign-up"]
const labels = {
    en: ["Sign in with Lanyard", "Continue with Lanyard", "Sign up with Lanyard"],
    ja: ["Lanyardでサインイン", "Lanyardで続ける", "Lanyardで登録"],
    ko: ["Lanyard로 로그인", "Lanyard로 계속하기", "Lanyard로 가입하기"],
}

// The language in the script's path, or the page's, or English.
function language() {
    const wanted = [place.locale, document.documentElement.lang].map((tag) => tag.toLowerCase().split(/[-_]/)[0])
    return wanted.find((tag) => Object.keys(labels).includes(tag)) || "en"
}
