"""The client against a local server that gives the answers of each test."""

import base64
import hashlib
import hmac
import json
import threading
import time
import unittest
import uuid
from http.server import BaseHTTPRequestHandler, HTTPServer

import httpx
from tearsheet_client import ApiError, SignatureError, connect, verify_webhook
from tearsheet_client.api.branding import replace_logo
from tearsheet_client.api.creating import retake_screenshot_set
from tearsheet_client.api.settings import create_key
from tearsheet_client.api.uploads import delete_upload
from tearsheet_client.models import NewApiKey, RetakeSet
from tearsheet_client.types import File

ID = uuid.UUID(int=1)
LOST = None


class Server:
    """Answers are (status, body, headers), or LOST for a closed connection."""

    def __init__(self, *answers):
        self.sent = []
        waiting = list(answers)
        sent = self.sent

        class Handler(BaseHTTPRequestHandler):
            def handle_any(self):
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                sent.append({"line": f"{self.command} {self.path}", "headers": self.headers, "body": body})
                answer = waiting.pop(0) if waiting else (500, {"errors": {"test": ["expects no more requests."]}}, {})
                if answer is LOST:
                    self.close_connection = True
                    return
                status, content, headers = answer
                data = b"" if content is None else json.dumps(content).encode()
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(data))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            do_POST = do_PUT = do_DELETE = handle_any

            def log_message(self, *_):
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def client(self, **options):
        address = f"http://127.0.0.1:{self.server.server_port}/"
        return connect(address, "ts_live_key", **{"retry_delay": 0, **options})


class CallTest(unittest.TestCase):
    def test_a_call_sends_the_key(self):
        with Server((204, None, {})) as server:
            self.assertIsNone(delete_upload.sync_detailed("a/b", ID, client=server.client()).parsed)
            self.assertEqual(server.sent[0]["line"], f"DELETE /api/v1/orgs/a%2Fb/uploads/{ID}")
            self.assertEqual(server.sent[0]["headers"]["authorization"], "Bearer ts_live_key")

    def test_a_failure_has_its_status_code_request_id_and_faults(self):
        faults = {"name": ["is missing."]}
        body = {"status": "failure", "errors": faults, "code": "invalid", "request_id": "r1"}
        with Server((422, body, {})) as server, self.assertRaises(ApiError) as caught:
            create(server.client())
        error = caught.exception
        self.assertEqual((error.status, error.code, error.request_id, error.faults), (422, "invalid", "r1", faults))
        self.assertEqual(str(error), "The service answered 422. name is missing.")

    def test_a_redirect_is_not_followed(self):
        with Server((302, None, {"Location": "/elsewhere"})) as server, self.assertRaises(ApiError):
            delete(server.client())
        self.assertEqual(len(server.sent), 1)


class RetryTest(unittest.TestCase):
    def test_every_try_of_a_post_has_the_same_idempotency_key(self):
        answers = [LOST, (502, {}, {}), (429, {}, {"Retry-After": "0"}), (422, {}, {})]
        with Server(*answers) as server:
            with self.assertRaises(ApiError):
                retake_screenshot_set.sync("acme", ID, client=server.client(), body=RetakeSet())
            keys = [sent["headers"]["idempotency-key"] for sent in server.sent]
            self.assertEqual(len(keys), 4)
            self.assertEqual(len(set(keys)), 1)
            self.assertRegex(keys[0], r"^[\w-]{36}$")

    def test_every_try_sends_the_whole_file(self):
        with Server((503, {}, {}), (422, {}, {})) as server, open(__file__, "rb") as file:
            with self.assertRaises(ApiError):
                replace_logo.sync("acme", client=server.client(), body=File(payload=file))
            file.seek(0)
            content = file.read()
            self.assertEqual([sent["body"] for sent in server.sent], [content, content])

    def test_the_number_of_retries_is_bounded(self):
        with Server(LOST, LOST, LOST, LOST) as server, self.assertRaises(httpx.TransportError):
            delete(server.client(max_retries=2))
        self.assertEqual(len(server.sent), 3)

    def test_a_post_that_could_act_twice_is_not_repeated_after_a_lost_connection(self):
        with Server(LOST) as server, self.assertRaises(httpx.TransportError):
            create(server.client())
        self.assertEqual(len(server.sent), 1)
        with Server((503, {}, {}), (422, {}, {})) as server, self.assertRaises(ApiError):
            create(server.client())
        self.assertEqual(len(server.sent), 2)

    def test_a_longer_retry_after_than_the_client_accepts_ends_the_call(self):
        with Server((429, {}, {"Retry-After": "3600"})) as server, self.assertRaises(ApiError):
            delete(server.client())
        self.assertEqual(len(server.sent), 1)


def create(client):
    return create_key.sync("acme", client=client, body=NewApiKey(name="Tool", scopes=["read"]))


def delete(client):
    return delete_upload.sync_detailed("acme", ID, client=client)


class WebhookTest(unittest.TestCase):
    secret = "whsec_bmV3LXNlY3JldC1uZXctc2VjcmV0"
    body = '{"id":"evt_1","text":"Grüße — 300×250"}'

    def headers(self, age=0, key=b"new-secret-new-secret"):
        timestamp = str(int(time.time()) - age)
        digest = hmac.new(key, f"evt_1.{timestamp}.{self.body}".encode(), hashlib.sha256).digest()
        signature = f"v1,AAAA v1,{base64.b64encode(digest).decode()}"
        return {"Webhook-Id": "evt_1", "Webhook-Timestamp": timestamp, "Webhook-Signature": signature}

    def test_a_signed_message_is_its_event(self):
        self.assertEqual(verify_webhook(self.secret, self.headers(), self.body)["id"], "evt_1")
        self.assertEqual(verify_webhook(self.secret, self.headers(), self.body.encode())["id"], "evt_1")

    def test_other_messages_are_rejected(self):
        messages = [
            (self.headers(), self.body.replace("evt_1", "evt_2")),
            (self.headers(key=b"old-secret-old-secret"), self.body),
            (self.headers(age=600), self.body),
            ({}, self.body),
        ]
        for headers, body in messages:
            with self.assertRaises(SignatureError):
                verify_webhook(self.secret, headers, body)


if __name__ == "__main__":
    unittest.main()
