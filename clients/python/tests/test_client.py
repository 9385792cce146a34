"""The client against a local server that gives the answers of each test."""

import base64
import hashlib
import hmac
import json
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer

from tearsheet_client import ApiError, ConnectionLostError, DeadlineError, SignatureError, Tearsheet, verify_webhook

AD = {"campaign": {"name": "Spring"}, "ad": {"media": {"type": "url", "content": "https://cdn.example/a.png"}}}
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

            do_GET = do_POST = do_DELETE = handle_any

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
        return Tearsheet(address, "acme", "ts_live_key", **{"retry_delay": 0, **options})


class CallTest(unittest.TestCase):
    def test_a_call_sends_the_key_the_path_parameters_and_the_query(self):
        page = {"data": [], "page": 1, "per_page": 5, "total": 0}
        with Server((200, {"id": "1"}, {}), (200, page, {}), (204, None, {})) as server:
            client = server.client()
            self.assertEqual(client.get_ad("a/b"), {"id": "1"})
            client.list_ads(per_page=5, from_="2026-11-01", metadata={"line item": "a&b"})
            self.assertIsNone(client.delete_upload("1"))
            lines = [sent["line"] for sent in server.sent]
            base = "/api/v1/orgs/acme"
            listed = f"GET {base}/ads?per_page=5&from=2026-11-01&metadata%5Bline+item%5D=a%26b"
            self.assertEqual(lines, [f"GET {base}/ads/a%2Fb", listed, f"DELETE {base}/uploads/1"])
            self.assertEqual(server.sent[0]["headers"]["authorization"], "Bearer ts_live_key")

    def test_a_file_is_sent_as_it_is(self):
        with Server((201, {"id": "1"}, {})) as server:
            server.client().upload_file(__file__)
            with open(__file__, "rb") as file:
                self.assertEqual(server.sent[0]["body"], file.read())
            self.assertTrue(server.sent[0]["line"].endswith("/uploads?name=test_client.py"))

    def test_a_failure_has_its_status_code_request_id_and_faults(self):
        faults = {"media.content": ["is missing."]}
        body = {"status": "failure", "errors": faults, "code": "invalid", "request_id": "r1"}
        with Server((422, body, {})) as server, self.assertRaises(ApiError) as caught:
            server.client().create_ad(AD)
        error = caught.exception
        self.assertEqual((error.status, error.code, error.request_id, error.faults), (422, "invalid", "r1", faults))
        self.assertEqual(str(error), "The service answered 422. media.content is missing.")

    def test_a_redirect_is_not_followed(self):
        with Server((302, None, {"Location": "/elsewhere"})) as server, self.assertRaises(ApiError):
            server.client().get_ad("1")
        self.assertEqual(len(server.sent), 1)


class RetryTest(unittest.TestCase):
    def test_every_try_of_a_post_has_the_same_idempotency_key(self):
        answers = [LOST, (502, {}, {}), (429, {}, {"Retry-After": "0"}), (201, {"id": "1"}, {})]
        with Server(*answers) as server:
            self.assertEqual(server.client().create_ad(AD), {"id": "1"})
            keys = [sent["headers"]["idempotency-key"] for sent in server.sent]
            self.assertEqual(len(keys), 4)
            self.assertEqual(len(set(keys)), 1)
            self.assertRegex(keys[0], r"^[\w-]{36}$")

    def test_the_number_of_retries_is_bounded(self):
        with Server(LOST, LOST, LOST, LOST) as server, self.assertRaises(ConnectionLostError):
            server.client(max_retries=2).get_ad("1")
        self.assertEqual(len(server.sent), 3)

    def test_a_post_that_could_act_twice_is_not_repeated_after_a_lost_connection(self):
        key = {"name": "Tool", "scopes": ["read"]}
        with Server(LOST) as server, self.assertRaises(ConnectionLostError):
            server.client().create_key(key)
        self.assertEqual(len(server.sent), 1)
        with Server((503, {}, {}), (201, {"id": "1"}, {})) as server:
            self.assertEqual(server.client().create_key(key), {"id": "1"})

    def test_a_longer_retry_after_than_the_client_accepts_ends_the_call(self):
        with Server((429, {}, {"Retry-After": "3600"})) as server, self.assertRaises(ApiError):
            server.client().get_ad("1")
        self.assertEqual(len(server.sent), 1)


class ListTest(unittest.TestCase):
    def test_a_list_is_read_page_by_page_and_an_object_that_moved_comes_once(self):
        def page(number, *ids):
            return (200, {"data": [{"id": id} for id in ids], "page": number, "per_page": 2, "total": 5}, {})

        with Server(page(1, "e", "d"), page(2, "d", "c"), page(3, "b")) as server:
            ids = [ad["id"] for ad in server.client().iterate_ads(per_page=2, q="spring")]
            self.assertEqual(ids, ["e", "d", "c", "b"])
            self.assertIn("page=3&per_page=2&q=spring", server.sent[2]["line"])


class WaitTest(unittest.TestCase):
    def test_the_wait_ends_when_all_pictures_are_taken_or_failed(self):
        answers = [(200, {"id": "1", "status": status}, {}) for status in ("draft", "capturing", "in_review")]
        with Server(*answers) as server:
            found = server.client().wait_for_screenshot_set("1", interval=0)
            self.assertEqual(found["status"], "in_review")

    def test_the_wait_ends_with_an_error_at_its_deadline(self):
        with Server((200, {"id": "1", "status": "capturing"}, {})) as server:
            with self.assertRaisesRegex(DeadlineError, "still capturing after 1 s"):
                server.client().wait_for_screenshot_set("1", deadline=1, interval=60)


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
