"""The types that the server gives out, in the eyes of the TypeScript compiler."""

from pathlib import Path

import requests
from processes import run
from scene import Scene

# As an app's developer writes it; what must not pass is marked, and the compiler complains where it does pass.
PAGE = """
/// <reference path="./lanyard.d.ts" />
AppleID.auth.init({ clientId: "com.example.app", redirectURI: "https://app.example/", scope: "name", usePopup: true })
AppleID.auth.init()

async function signIn() {
    const result = await AppleID.auth.signIn({ usePopup: true, state: "s" })
    const code: string = result.authorization.code
    const name: string | undefined = result.user?.name?.firstName
    const perhaps = await Lanyard.auth.signIn()
    const token: string | undefined = perhaps?.authorization.id_token
    const nothing: void = Lanyard.auth.signIn({ usePopup: false })
    return [code, name, token, nothing]
}

document.addEventListener("AppleIDSignInOnSuccess", (event) => {
    const codes: string[] = [event.detail.authorization.code, event.detail.data.authorization.code]
    codes.sort()
})
document.addEventListener("AppleIDSignInOnFailure", (event) => {
    if (event.detail.error === "popup_closed_by_user" || event.detail.data.error === "another") { signIn() }
})
document.addEventListener("AppleIDSigInLoaded", () => AppleID.auth.renderButton({ id: "here" }))

// @ts-expect-error
AppleID.auth.init({ clientId: 1 })
// @ts-expect-error
AppleID.auth.init({ clientID: "com.example.app" })
// @ts-expect-error
Lanyard.auth.signIn({ clientId: "com.example.other" })
// @ts-expect-error
Lanyard.auth.signIn({ usePopup: "true" })
// @ts-expect-error
Lanyard.auth.renderButton("here")
// @ts-expect-error
Lanyard.auth.signOut()
"""

MODULE = """
import AppleID = require("./lanyard")
import type { SignInResult } from "./lanyard"

AppleID.auth.init({ clientId: "com.example.app", redirectURI: "https://app.example/" })
export const codeOf = (result: SignInResult): string => result.authorization.code
// @ts-expect-error
export const userOf = (result: SignInResult): string => result.user.email
"""


def test_pages_and_modules_compile_against_the_types(scene: Scene, tmp_path: Path) -> None:
    answer = requests.get(f"{scene.base_url}/lanyard.d.ts", timeout=60)
    (tmp_path / "lanyard.d.ts").write_text(answer.text)
    (tmp_path / "page.ts").write_text(PAGE)
    (tmp_path / "module.ts").write_text(MODULE)
    for file in ("page.ts", "module.ts"):
        result = run("tsc", "--noEmit", "--strict", "--target", "es2020", "--module", "commonjs", tmp_path / file)
        assert (result.returncode, result.stdout) == (0, "")
