"""A FastAPI app with fastapi-sso, which asks for the e-mail address alone and takes the identity token as it comes."""

import time

import jwt
import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from fastapi_sso.sso.apple import AppleSSO
from fastapi_sso.sso.base import SSOLoginError
from settings import Settings, ready

settings = Settings.read()


class OurApple(AppleSSO):
    async def get_discovery_document(self):
        return {
            "authorization_endpoint": settings.base_url + "/auth/authorize",
            "token_endpoint": settings.base_url + "/auth/token",
            "userinfo_endpoint": settings.base_url + "/auth/keys",
        }


def client_secret() -> str:
    now = int(time.time())
    return jwt.encode(
        {"iss": settings.team_id, "iat": now, "exp": now + 3600, "aud": settings.issuer, "sub": settings.client_id},
        settings.key_pem, algorithm="ES256", headers={"kid": settings.key_id})


def sso() -> AppleSSO:
    return (AppleSSO if settings.is_original else OurApple)(
        settings.client_id, client_secret(), redirect_uri=settings.own_url + "/callback", allow_insecure_http=True)


app = FastAPI()


@app.get("/login")
async def log_in():
    async with sso() as apple:
        return await apple.get_login_redirect()


@app.post("/callback")
async def callback(request: Request):
    form = await request.form()
    if "error" in form:
        return {"error": form["error"]}
    try:
        async with sso() as apple:
            person = await apple.verify_and_process(request)
            return {
                "id": person.id, "email": person.email, "user": form.get("user"),
                "claims": jwt.decode(apple.id_token, options={"verify_signature": False}),
            }
    except SSOLoginError as error:
        return JSONResponse({"error": error.detail}, status_code=error.status_code)


class Server(uvicorn.Server):
    async def startup(self, sockets=None):
        await super().startup(sockets)
        ready(settings)


if __name__ == "__main__":
    Server(uvicorn.Config(app, port=settings.port, log_level="warning")).run()
