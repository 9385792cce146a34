# Written by `make generate` from the OpenAPI document. Do not edit.

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Literal, Optional, Union, cast

from ._caller import Caller, quoted
from .models import (
    Ad,
    AdChange,
    AdSummary,
    ApiKey,
    ApprovedScreenshot,
    AuditLogEntry,
    Branding,
    BrandingRequest,
    Campaign,
    CampaignChange,
    Connector,
    ConnectorCheckRequest,
    CreateAd,
    CreateScreenshotRequest,
    CreatedApiKey,
    Delivery,
    DeliveryDetail,
    Event,
    EventDetail,
    EventsReplay,
    Export,
    ExportRequest,
    ListAdsResult,
    ListAuditLogResult,
    ListCampaignsResult,
    ListConnectorsResult,
    ListDeliveriesResult,
    ListEventsResult,
    ListExportsResult,
    ListKeysResult,
    ListScreenshotSetsResult,
    ListScreenshotsOfSetResult,
    ListScreenshotsResult,
    ListSharesResult,
    ListTemplatesResult,
    ListUploadsResult,
    ListWebhookEndpointsResult,
    ListedScreenshotSet,
    NewApiKey,
    NewShare,
    NewTemplate,
    NewWebhookEndpoint,
    NewWebhookSecret,
    Replay,
    RetakeScreenshot,
    RetakeSet,
    Review,
    S3Connector,
    Screenshot,
    ScreenshotDetail,
    ScreenshotReview,
    ScreenshotSet,
    ScreenshotSetChange,
    ScreenshotSetSummary,
    SecretRotation,
    Settings,
    SettingsChange,
    Share,
    Template,
    Upload,
    Usage,
    WebhookEndpoint,
    WebhookEndpointChange,
    WebhookEndpointWithSecret,
    WebhookSecret,
    WebhookTest,
)


class Operations(Caller):
    """One method for each operation of the API."""

    def create_ad(self, body: "CreateAd", *, idempotency_key: Optional[str] = None) -> "AdSummary":
        """Create an ad (beta)."""
        return cast("AdSummary", self.call("POST", "/ads", body=body, idempotency_key=idempotency_key, repeatable=True))

    def list_ads(self, *, page: Optional[int] = None, per_page: Optional[int] = None, after: Optional[str] = None, q: Optional[str] = None, status: Optional[Literal["pending", "uploaded", "not_found", "net_read_timeout", "generic_error"]] = None, from_: Optional[str] = None, to: Optional[str] = None, campaign_id: Optional[str] = None, lookup_key: Optional[str] = None, metadata: Optional[Dict[str, str]] = None) -> "ListAdsResult":
        """List ads, newest first."""
        return cast("ListAdsResult", self.call("GET", "/ads", query={"page": page, "per_page": per_page, "after": after, "q": q, "status": status, "from": from_, "to": to, "campaign_id": campaign_id, "lookup_key": lookup_key, "metadata": metadata}, repeatable=True))

    def iterate_ads(self, *, page: Optional[int] = None, per_page: Optional[int] = None, after: Optional[str] = None, q: Optional[str] = None, status: Optional[Literal["pending", "uploaded", "not_found", "net_read_timeout", "generic_error"]] = None, from_: Optional[str] = None, to: Optional[str] = None, campaign_id: Optional[str] = None, lookup_key: Optional[str] = None, metadata: Optional[Dict[str, str]] = None) -> Iterator["Ad"]:
        """List ads, newest first. Reads all pages from `page` on, one after the other."""
        return self.iterate(lambda number: self.list_ads(page=number, per_page=per_page, after=after, q=q, status=status, from_=from_, to=to, campaign_id=campaign_id, lookup_key=lookup_key, metadata=metadata), page or 1)

    def get_ad(self, id: str) -> "Ad":
        """Read one ad."""
        return cast("Ad", self.call("GET", f"/ads/{quoted(id)}", repeatable=True))

    def update_ad(self, id: str, body: "AdChange") -> "Ad":
        """Change an ad."""
        return cast("Ad", self.call("PATCH", f"/ads/{quoted(id)}", body=body, repeatable=True))

    def delete_ad(self, id: str) -> None:
        """Delete an ad."""
        self.call("DELETE", f"/ads/{quoted(id)}", repeatable=True)

    def create_upload(self, body: bytes, *, name: Optional[str] = None, idempotency_key: Optional[str] = None) -> "Upload":
        """Upload a creative."""
        return cast("Upload", self.call("POST", "/uploads", body=body, query={"name": name}, idempotency_key=idempotency_key, repeatable=True))

    def list_uploads(self, *, page: Optional[int] = None, per_page: Optional[int] = None, after: Optional[str] = None, from_: Optional[str] = None, to: Optional[str] = None) -> "ListUploadsResult":
        """List uploads, newest first."""
        return cast("ListUploadsResult", self.call("GET", "/uploads", query={"page": page, "per_page": per_page, "after": after, "from": from_, "to": to}, repeatable=True))

    def iterate_uploads(self, *, page: Optional[int] = None, per_page: Optional[int] = None, after: Optional[str] = None, from_: Optional[str] = None, to: Optional[str] = None) -> Iterator["Upload"]:
        """List uploads, newest first. Reads all pages from `page` on, one after the other."""
        return self.iterate(lambda number: self.list_uploads(page=number, per_page=per_page, after=after, from_=from_, to=to), page or 1)

    def get_upload(self, id: str) -> "Upload":
        """Read one upload."""
        return cast("Upload", self.call("GET", f"/uploads/{quoted(id)}", repeatable=True))

    def delete_upload(self, id: str) -> None:
        """Delete an upload that no ad uses."""
        self.call("DELETE", f"/uploads/{quoted(id)}", repeatable=True)

    def list_templates(self, *, page: Optional[int] = None, per_page: Optional[int] = None, from_: Optional[str] = None, to: Optional[str] = None) -> "ListTemplatesResult":
        """List request templates, by name."""
        return cast("ListTemplatesResult", self.call("GET", "/templates", query={"page": page, "per_page": per_page, "from": from_, "to": to}, repeatable=True))

    def iterate_templates(self, *, page: Optional[int] = None, per_page: Optional[int] = None, from_: Optional[str] = None, to: Optional[str] = None) -> Iterator["Template"]:
        """List request templates, by name. Reads all pages from `page` on, one after the other."""
        return self.iterate(lambda number: self.list_templates(page=number, per_page=per_page, from_=from_, to=to), page or 1)

    def save_template(self, body: "NewTemplate", *, idempotency_key: Optional[str] = None) -> "Template":
        """Save a request template."""
        return cast("Template", self.call("POST", "/templates", body=body, idempotency_key=idempotency_key, repeatable=True))

    def delete_template(self, id: str) -> None:
        """Delete a request template."""
        self.call("DELETE", f"/templates/{quoted(id)}", repeatable=True)

    def create_screenshot_request(self, body: "CreateScreenshotRequest", *, idempotency_key: Optional[str] = None) -> "ScreenshotSetSummary":
        """Request screenshots."""
        return cast("ScreenshotSetSummary", self.call("POST", "/screenshot_requests", body=body, idempotency_key=idempotency_key, repeatable=True))

    def list_campaigns(self, *, page: Optional[int] = None, per_page: Optional[int] = None, after: Optional[str] = None, q: Optional[str] = None, from_: Optional[str] = None, to: Optional[str] = None, name: Optional[str] = None) -> "ListCampaignsResult":
        """List campaigns, newest first."""
        return cast("ListCampaignsResult", self.call("GET", "/campaigns", query={"page": page, "per_page": per_page, "after": after, "q": q, "from": from_, "to": to, "name": name}, repeatable=True))

    def iterate_campaigns(self, *, page: Optional[int] = None, per_page: Optional[int] = None, after: Optional[str] = None, q: Optional[str] = None, from_: Optional[str] = None, to: Optional[str] = None, name: Optional[str] = None) -> Iterator["Campaign"]:
        """List campaigns, newest first. Reads all pages from `page` on, one after the other."""
        return self.iterate(lambda number: self.list_campaigns(page=number, per_page=per_page, after=after, q=q, from_=from_, to=to, name=name), page or 1)

    def get_campaign(self, id: str) -> "Campaign":
        """Read one campaign."""
        return cast("Campaign", self.call("GET", f"/campaigns/{quoted(id)}", repeatable=True))

    def update_campaign(self, id: str, body: "CampaignChange") -> "Campaign":
        """Rename a campaign."""
        return cast("Campaign", self.call("PATCH", f"/campaigns/{quoted(id)}", body=body, repeatable=True))

    def delete_campaign(self, id: str) -> None:
        """Delete a campaign."""
        self.call("DELETE", f"/campaigns/{quoted(id)}", repeatable=True)

    def list_screenshot_sets(self, *, page: Optional[int] = None, per_page: Optional[int] = None, after: Optional[str] = None, q: Optional[str] = None, status: Optional[Literal["draft", "capturing", "in_review", "approved", "rejected", "failed", "canceled"]] = None, site: Optional[str] = None, device: Optional[Literal["desktop", "mobile", "iphone", "tablet", "ipad", "Apple iPad", "Apple iPhone 5", "Apple iPhone 6", "Apple iPhone 6 Plus", "Apple iPhone X", "Apple iPhone 14 Pro Max", "Google Nexus 10", "Google Nexus 5", "Google Nexus 6", "Google Pixel 4", "Samsung Galaxy S10"]] = None, from_: Optional[str] = None, to: Optional[str] = None, campaign_id: Optional[str] = None, metadata: Optional[Dict[str, str]] = None) -> "ListScreenshotSetsResult":
        """List screenshot sets, newest first."""
        return cast("ListScreenshotSetsResult", self.call("GET", "/screenshot_sets", query={"page": page, "per_page": per_page, "after": after, "q": q, "status": status, "site": site, "device": device, "from": from_, "to": to, "campaign_id": campaign_id, "metadata": metadata}, repeatable=True))

    def iterate_screenshot_sets(self, *, page: Optional[int] = None, per_page: Optional[int] = None, after: Optional[str] = None, q: Optional[str] = None, status: Optional[Literal["draft", "capturing", "in_review", "approved", "rejected", "failed", "canceled"]] = None, site: Optional[str] = None, device: Optional[Literal["desktop", "mobile", "iphone", "tablet", "ipad", "Apple iPad", "Apple iPhone 5", "Apple iPhone 6", "Apple iPhone 6 Plus", "Apple iPhone X", "Apple iPhone 14 Pro Max", "Google Nexus 10", "Google Nexus 5", "Google Nexus 6", "Google Pixel 4", "Samsung Galaxy S10"]] = None, from_: Optional[str] = None, to: Optional[str] = None, campaign_id: Optional[str] = None, metadata: Optional[Dict[str, str]] = None) -> Iterator["ListedScreenshotSet"]:
        """List screenshot sets, newest first. Reads all pages from `page` on, one after the other."""
        return self.iterate(lambda number: self.list_screenshot_sets(page=number, per_page=per_page, after=after, q=q, status=status, site=site, device=device, from_=from_, to=to, campaign_id=campaign_id, metadata=metadata), page or 1)

    def get_screenshot_set(self, id: str) -> "ScreenshotSet":
        """Read one screenshot set."""
        return cast("ScreenshotSet", self.call("GET", f"/screenshot_sets/{quoted(id)}", repeatable=True))

    def update_screenshot_set(self, id: str, body: "ScreenshotSetChange") -> "ScreenshotSet":
        """Change a set."""
        return cast("ScreenshotSet", self.call("PATCH", f"/screenshot_sets/{quoted(id)}", body=body, repeatable=True))

    def delete_screenshot_set(self, id: str) -> None:
        """Delete a set."""
        self.call("DELETE", f"/screenshot_sets/{quoted(id)}", repeatable=True)

    def list_screenshots_of_set(self, id: str, *, page: Optional[int] = None, per_page: Optional[int] = None, after: Optional[str] = None) -> "ListScreenshotsOfSetResult":
        """List the screenshots of a set."""
        return cast("ListScreenshotsOfSetResult", self.call("GET", f"/screenshot_sets/{quoted(id)}/screenshots", query={"page": page, "per_page": per_page, "after": after}, repeatable=True))

    def iterate_screenshots_of_set(self, id: str, *, page: Optional[int] = None, per_page: Optional[int] = None, after: Optional[str] = None) -> Iterator["Screenshot"]:
        """List the screenshots of a set. Reads all pages from `page` on, one after the other."""
        return self.iterate(lambda number: self.list_screenshots_of_set(id, page=number, per_page=per_page, after=after), page or 1)

    def approve_screenshot_set(self, id: str, body: Optional["Review"] = None, *, idempotency_key: Optional[str] = None) -> "ScreenshotSet":
        """Approve a set."""
        return cast("ScreenshotSet", self.call("POST", f"/screenshot_sets/{quoted(id)}/approve", body=body or {}, idempotency_key=idempotency_key, repeatable=False))

    def reject_screenshot_set(self, id: str, body: Optional["Review"] = None, *, idempotency_key: Optional[str] = None) -> "ScreenshotSet":
        """Reject a set."""
        return cast("ScreenshotSet", self.call("POST", f"/screenshot_sets/{quoted(id)}/reject", body=body or {}, idempotency_key=idempotency_key, repeatable=False))

    def cancel_screenshot_set(self, id: str, body: Optional["Review"] = None, *, idempotency_key: Optional[str] = None) -> "ScreenshotSet":
        """Cancel a set."""
        return cast("ScreenshotSet", self.call("POST", f"/screenshot_sets/{quoted(id)}/cancel", body=body or {}, idempotency_key=idempotency_key, repeatable=False))

    def retake_screenshot(self, id: str, body: Optional["RetakeScreenshot"] = None, *, idempotency_key: Optional[str] = None) -> "ScreenshotSet":
        """Take a screenshot again."""
        return cast("ScreenshotSet", self.call("POST", f"/screenshots/{quoted(id)}/retake", body=body or {}, idempotency_key=idempotency_key, repeatable=True))

    def retake_screenshot_set(self, id: str, body: Optional["RetakeSet"] = None, *, idempotency_key: Optional[str] = None) -> "ScreenshotSet":
        """Take screenshots of a set again."""
        return cast("ScreenshotSet", self.call("POST", f"/screenshot_sets/{quoted(id)}/retake", body=body or {}, idempotency_key=idempotency_key, repeatable=True))

    def duplicate_screenshot_set(self, id: str, body: Optional["RetakeScreenshot"] = None, *, idempotency_key: Optional[str] = None) -> "ScreenshotSet":
        """Duplicate a set."""
        return cast("ScreenshotSet", self.call("POST", f"/screenshot_sets/{quoted(id)}/duplicate", body=body or {}, idempotency_key=idempotency_key, repeatable=True))

    def list_shares(self, id: str, *, page: Optional[int] = None, per_page: Optional[int] = None, from_: Optional[str] = None, to: Optional[str] = None) -> "ListSharesResult":
        """List the share links of a set, newest first."""
        return cast("ListSharesResult", self.call("GET", f"/screenshot_sets/{quoted(id)}/shares", query={"page": page, "per_page": per_page, "from": from_, "to": to}, repeatable=True))

    def iterate_shares(self, id: str, *, page: Optional[int] = None, per_page: Optional[int] = None, from_: Optional[str] = None, to: Optional[str] = None) -> Iterator["Share"]:
        """List the share links of a set, newest first. Reads all pages from `page` on, one after the other."""
        return self.iterate(lambda number: self.list_shares(id, page=number, per_page=per_page, from_=from_, to=to), page or 1)

    def create_share(self, id: str, body: Optional["NewShare"] = None, *, idempotency_key: Optional[str] = None) -> "Share":
        """Create a share link."""
        return cast("Share", self.call("POST", f"/screenshot_sets/{quoted(id)}/shares", body=body or {}, idempotency_key=idempotency_key, repeatable=False))

    def revoke_share(self, id: str, share_id: str) -> "Share":
        """Revoke a share link."""
        return cast("Share", self.call("DELETE", f"/screenshot_sets/{quoted(id)}/shares/{quoted(share_id)}", repeatable=True))

    def list_screenshots(self, *, page: Optional[int] = None, per_page: Optional[int] = None, from_: Optional[str] = None, to: Optional[str] = None, order: Optional[Literal["asc", "desc"]] = None, include: Optional[Literal["ad.creative"]] = None, after: Optional[str] = None) -> "ListScreenshotsResult":
        """List the screenshots of approved sets."""
        return cast("ListScreenshotsResult", self.call("GET", "/screenshots", query={"page": page, "per_page": per_page, "from": from_, "to": to, "order": order, "include": include, "after": after}, repeatable=True))

    def iterate_screenshots(self, *, page: Optional[int] = None, per_page: Optional[int] = None, from_: Optional[str] = None, to: Optional[str] = None, order: Optional[Literal["asc", "desc"]] = None, include: Optional[Literal["ad.creative"]] = None, after: Optional[str] = None) -> Iterator["ApprovedScreenshot"]:
        """List the screenshots of approved sets. Reads all pages from `page` on, one after the other."""
        return self.iterate(lambda number: self.list_screenshots(page=number, per_page=per_page, from_=from_, to=to, order=order, include=include, after=after), page or 1)

    def get_screenshot(self, id: str) -> "ScreenshotDetail":
        """Read one screenshot."""
        return cast("ScreenshotDetail", self.call("GET", f"/screenshots/{quoted(id)}", repeatable=True))

    def review_screenshot(self, id: str, body: "ScreenshotReview", *, idempotency_key: Optional[str] = None) -> "Screenshot":
        """Review one screenshot."""
        return cast("Screenshot", self.call("POST", f"/screenshots/{quoted(id)}/review", body=body, idempotency_key=idempotency_key, repeatable=False))

    def get_settings(self) -> "Settings":
        """Read the settings."""
        return cast("Settings", self.call("GET", "/settings", repeatable=True))

    def update_settings(self, body: "SettingsChange") -> "Settings":
        """Change settings."""
        return cast("Settings", self.call("PATCH", "/settings", body=body, repeatable=True))

    def get_usage(self, *, from_: Optional[str] = None, to: Optional[str] = None) -> "Usage":
        """Read the use of each day, and the limits of the organization."""
        return cast("Usage", self.call("GET", "/usage", query={"from": from_, "to": to}, repeatable=True))

    def list_deliveries(self, *, page: Optional[int] = None, per_page: Optional[int] = None, after: Optional[str] = None, topic: Optional[Literal["ad.uploaded", "ad.failed", "screenshot_set.approved", "screenshot_set.failed", "screenshot_set.rejected", "screenshot_set.progress", "webhook_endpoint.disabled", "webhook.test"]] = None, channel: Optional[Literal["webhook", "s3"]] = None, screenshot_set_id: Optional[str] = None, ad_id: Optional[str] = None, webhook_endpoint_id: Optional[str] = None, status: Optional[Literal["pending", "delivered", "retries_exhausted", "gone", "refused"]] = None, from_: Optional[str] = None, to: Optional[str] = None) -> "ListDeliveriesResult":
        """List deliveries, newest first."""
        return cast("ListDeliveriesResult", self.call("GET", "/deliveries", query={"page": page, "per_page": per_page, "after": after, "topic": topic, "channel": channel, "screenshot_set_id": screenshot_set_id, "ad_id": ad_id, "webhook_endpoint_id": webhook_endpoint_id, "status": status, "from": from_, "to": to}, repeatable=True))

    def iterate_deliveries(self, *, page: Optional[int] = None, per_page: Optional[int] = None, after: Optional[str] = None, topic: Optional[Literal["ad.uploaded", "ad.failed", "screenshot_set.approved", "screenshot_set.failed", "screenshot_set.rejected", "screenshot_set.progress", "webhook_endpoint.disabled", "webhook.test"]] = None, channel: Optional[Literal["webhook", "s3"]] = None, screenshot_set_id: Optional[str] = None, ad_id: Optional[str] = None, webhook_endpoint_id: Optional[str] = None, status: Optional[Literal["pending", "delivered", "retries_exhausted", "gone", "refused"]] = None, from_: Optional[str] = None, to: Optional[str] = None) -> Iterator["Delivery"]:
        """List deliveries, newest first. Reads all pages from `page` on, one after the other."""
        return self.iterate(lambda number: self.list_deliveries(page=number, per_page=per_page, after=after, topic=topic, channel=channel, screenshot_set_id=screenshot_set_id, ad_id=ad_id, webhook_endpoint_id=webhook_endpoint_id, status=status, from_=from_, to=to), page or 1)

    def replay_delivery(self, id: str, *, idempotency_key: Optional[str] = None) -> "Delivery":
        """Send a delivery again."""
        return cast("Delivery", self.call("POST", f"/deliveries/{quoted(id)}/replay", idempotency_key=idempotency_key, repeatable=True))

    def list_events(self, *, page: Optional[int] = None, per_page: Optional[int] = None, after: Optional[str] = None, topic: Optional[Literal["ad.uploaded", "ad.failed", "screenshot_set.approved", "screenshot_set.failed", "screenshot_set.rejected", "screenshot_set.progress", "webhook_endpoint.disabled", "webhook.test"]] = None, screenshot_set_id: Optional[str] = None, ad_id: Optional[str] = None, webhook_endpoint_id: Optional[str] = None, from_: Optional[str] = None, to: Optional[str] = None) -> "ListEventsResult":
        """List events, newest first."""
        return cast("ListEventsResult", self.call("GET", "/events", query={"page": page, "per_page": per_page, "after": after, "topic": topic, "screenshot_set_id": screenshot_set_id, "ad_id": ad_id, "webhook_endpoint_id": webhook_endpoint_id, "from": from_, "to": to}, repeatable=True))

    def iterate_events(self, *, page: Optional[int] = None, per_page: Optional[int] = None, after: Optional[str] = None, topic: Optional[Literal["ad.uploaded", "ad.failed", "screenshot_set.approved", "screenshot_set.failed", "screenshot_set.rejected", "screenshot_set.progress", "webhook_endpoint.disabled", "webhook.test"]] = None, screenshot_set_id: Optional[str] = None, ad_id: Optional[str] = None, webhook_endpoint_id: Optional[str] = None, from_: Optional[str] = None, to: Optional[str] = None) -> Iterator["Event"]:
        """List events, newest first. Reads all pages from `page` on, one after the other."""
        return self.iterate(lambda number: self.list_events(page=number, per_page=per_page, after=after, topic=topic, screenshot_set_id=screenshot_set_id, ad_id=ad_id, webhook_endpoint_id=webhook_endpoint_id, from_=from_, to=to), page or 1)

    def get_event(self, id: str) -> "EventDetail":
        """Read one event."""
        return cast("EventDetail", self.call("GET", f"/events/{quoted(id)}", repeatable=True))

    def replay_events(self, body: "EventsReplay", *, idempotency_key: Optional[str] = None) -> "Replay":
        """Send events again."""
        return cast("Replay", self.call("POST", "/events/replay", body=body, idempotency_key=idempotency_key, repeatable=True))

    def create_export(self, id: str, body: "ExportRequest", *, idempotency_key: Optional[str] = None) -> "Export":
        """Export a set."""
        return cast("Export", self.call("POST", f"/screenshot_sets/{quoted(id)}/exports", body=body, idempotency_key=idempotency_key, repeatable=True))

    def list_exports(self, id: str, *, page: Optional[int] = None, per_page: Optional[int] = None, from_: Optional[str] = None, to: Optional[str] = None) -> "ListExportsResult":
        """List the exports of a set, newest first."""
        return cast("ListExportsResult", self.call("GET", f"/screenshot_sets/{quoted(id)}/exports", query={"page": page, "per_page": per_page, "from": from_, "to": to}, repeatable=True))

    def iterate_exports(self, id: str, *, page: Optional[int] = None, per_page: Optional[int] = None, from_: Optional[str] = None, to: Optional[str] = None) -> Iterator["Export"]:
        """List the exports of a set, newest first. Reads all pages from `page` on, one after the other."""
        return self.iterate(lambda number: self.list_exports(id, page=number, per_page=per_page, from_=from_, to=to), page or 1)

    def get_export(self, id: str) -> "Export":
        """Read one export."""
        return cast("Export", self.call("GET", f"/exports/{quoted(id)}", repeatable=True))

    def get_branding(self) -> "Branding":
        """Read the branding."""
        return cast("Branding", self.call("GET", "/branding", repeatable=True))

    def replace_branding(self, body: "BrandingRequest") -> "Branding":
        """Replace the branding."""
        return cast("Branding", self.call("PUT", "/branding", body=body, repeatable=True))

    def replace_logo(self, body: bytes) -> "Branding":
        """Replace the logo."""
        return cast("Branding", self.call("PUT", "/branding/logo", body=body, repeatable=True))

    def delete_logo(self) -> "Branding":
        """Remove the logo."""
        return cast("Branding", self.call("DELETE", "/branding/logo", repeatable=True))

    def get_delivery(self, id: str) -> "DeliveryDetail":
        """Read one delivery."""
        return cast("DeliveryDetail", self.call("GET", f"/deliveries/{quoted(id)}", repeatable=True))

    def list_keys(self, *, page: Optional[int] = None, per_page: Optional[int] = None, from_: Optional[str] = None, to: Optional[str] = None) -> "ListKeysResult":
        """List the API keys, active ones first."""
        return cast("ListKeysResult", self.call("GET", "/keys", query={"page": page, "per_page": per_page, "from": from_, "to": to}, repeatable=True))

    def iterate_keys(self, *, page: Optional[int] = None, per_page: Optional[int] = None, from_: Optional[str] = None, to: Optional[str] = None) -> Iterator["ApiKey"]:
        """List the API keys, active ones first. Reads all pages from `page` on, one after the other."""
        return self.iterate(lambda number: self.list_keys(page=number, per_page=per_page, from_=from_, to=to), page or 1)

    def create_key(self, body: "NewApiKey", *, idempotency_key: Optional[str] = None) -> "CreatedApiKey":
        """Create an API key."""
        return cast("CreatedApiKey", self.call("POST", "/keys", body=body, idempotency_key=idempotency_key, repeatable=False))

    def revoke_key(self, key_id: str) -> "ApiKey":
        """Revoke an API key."""
        return cast("ApiKey", self.call("DELETE", f"/keys/{quoted(key_id)}", repeatable=True))

    def get_webhook_secret(self) -> "WebhookSecret":
        """Read the age of the webhook secret."""
        return cast("WebhookSecret", self.call("GET", "/webhook_secret", repeatable=True))

    def rotate_webhook_secret(self, body: Optional["SecretRotation"] = None, *, idempotency_key: Optional[str] = None) -> "NewWebhookSecret":
        """Replace the webhook secret."""
        return cast("NewWebhookSecret", self.call("POST", "/webhook_secret/rotate", body=body or {}, idempotency_key=idempotency_key, repeatable=False))

    def send_test_event(self, body: "WebhookTest", *, idempotency_key: Optional[str] = None) -> "Delivery":
        """Send a test event."""
        return cast("Delivery", self.call("POST", "/webhook_tests", body=body, idempotency_key=idempotency_key, repeatable=False))

    def list_webhook_endpoints(self, *, page: Optional[int] = None, per_page: Optional[int] = None, from_: Optional[str] = None, to: Optional[str] = None) -> "ListWebhookEndpointsResult":
        """List webhook endpoints, oldest first."""
        return cast("ListWebhookEndpointsResult", self.call("GET", "/webhook_endpoints", query={"page": page, "per_page": per_page, "from": from_, "to": to}, repeatable=True))

    def iterate_webhook_endpoints(self, *, page: Optional[int] = None, per_page: Optional[int] = None, from_: Optional[str] = None, to: Optional[str] = None) -> Iterator["WebhookEndpoint"]:
        """List webhook endpoints, oldest first. Reads all pages from `page` on, one after the other."""
        return self.iterate(lambda number: self.list_webhook_endpoints(page=number, per_page=per_page, from_=from_, to=to), page or 1)

    def create_webhook_endpoint(self, body: "NewWebhookEndpoint", *, idempotency_key: Optional[str] = None) -> "WebhookEndpointWithSecret":
        """Create a webhook endpoint."""
        return cast("WebhookEndpointWithSecret", self.call("POST", "/webhook_endpoints", body=body, idempotency_key=idempotency_key, repeatable=False))

    def get_webhook_endpoint(self, id: str) -> "WebhookEndpoint":
        """Read one webhook endpoint."""
        return cast("WebhookEndpoint", self.call("GET", f"/webhook_endpoints/{quoted(id)}", repeatable=True))

    def update_webhook_endpoint(self, id: str, body: "WebhookEndpointChange") -> "WebhookEndpoint":
        """Change a webhook endpoint."""
        return cast("WebhookEndpoint", self.call("PATCH", f"/webhook_endpoints/{quoted(id)}", body=body, repeatable=True))

    def delete_webhook_endpoint(self, id: str) -> None:
        """Delete a webhook endpoint."""
        self.call("DELETE", f"/webhook_endpoints/{quoted(id)}", repeatable=True)

    def rotate_webhook_endpoint_secret(self, id: str, body: Optional["SecretRotation"] = None, *, idempotency_key: Optional[str] = None) -> "WebhookEndpointWithSecret":
        """Replace the secret of a webhook endpoint."""
        return cast("WebhookEndpointWithSecret", self.call("POST", f"/webhook_endpoints/{quoted(id)}/rotate", body=body or {}, idempotency_key=idempotency_key, repeatable=False))

    def test_webhook_endpoint(self, id: str, *, idempotency_key: Optional[str] = None) -> "Delivery":
        """Send a test event to a webhook endpoint."""
        return cast("Delivery", self.call("POST", f"/webhook_endpoints/{quoted(id)}/test", idempotency_key=idempotency_key, repeatable=False))

    def list_connectors(self, *, from_: Optional[str] = None, to: Optional[str] = None) -> "ListConnectorsResult":
        """List the connectors."""
        return cast("ListConnectorsResult", self.call("GET", "/connectors", query={"from": from_, "to": to}, repeatable=True))

    def get_connector(self, name: str) -> "Connector":
        """Read a connector."""
        return cast("Connector", self.call("GET", f"/connectors/{quoted(name)}", repeatable=True))

    def replace_connector(self, name: str, body: "S3Connector") -> "Connector":
        """Set a connector."""
        return cast("Connector", self.call("PUT", f"/connectors/{quoted(name)}", body=body, repeatable=True))

    def delete_connector(self, name: str) -> None:
        """Remove a connector."""
        self.call("DELETE", f"/connectors/{quoted(name)}", repeatable=True)

    def check_connector(self, name: str, body: "ConnectorCheckRequest", *, idempotency_key: Optional[str] = None) -> "Connector":
        """Check a connector."""
        return cast("Connector", self.call("POST", f"/connectors/{quoted(name)}/check", body=body, idempotency_key=idempotency_key, repeatable=False))

    def list_audit_log(self, *, page: Optional[int] = None, per_page: Optional[int] = None, action: Optional[Literal["organization.created", "organization.disabled", "organization.enabled", "organization.deleted", "settings.updated", "api_key.created", "api_key.revoked", "webhook_secret.rotated", "webhook.tested", "webhook_endpoint.created", "webhook_endpoint.updated", "webhook_endpoint.rotated", "webhook_endpoint.tested", "webhook_endpoint.disabled", "webhook_endpoint.deleted", "connector.created", "connector.updated", "connector.checked", "connector.deleted", "branding.updated", "branding.logo_replaced", "branding.logo_removed", "campaign.updated", "campaign.deleted", "ad.updated", "ad.deleted", "screenshot_set.updated", "screenshot_set.deleted", "share_link.created", "share_link.revoked", "session.started", "session.refused", "session.ended"]] = None, actor: Optional[str] = None, from_: Optional[str] = None, to: Optional[str] = None, after: Optional[str] = None) -> "ListAuditLogResult":
        """List administrative actions, newest first."""
        return cast("ListAuditLogResult", self.call("GET", "/audit_log", query={"page": page, "per_page": per_page, "action": action, "actor": actor, "from": from_, "to": to, "after": after}, repeatable=True))

    def iterate_audit_log(self, *, page: Optional[int] = None, per_page: Optional[int] = None, action: Optional[Literal["organization.created", "organization.disabled", "organization.enabled", "organization.deleted", "settings.updated", "api_key.created", "api_key.revoked", "webhook_secret.rotated", "webhook.tested", "webhook_endpoint.created", "webhook_endpoint.updated", "webhook_endpoint.rotated", "webhook_endpoint.tested", "webhook_endpoint.disabled", "webhook_endpoint.deleted", "connector.created", "connector.updated", "connector.checked", "connector.deleted", "branding.updated", "branding.logo_replaced", "branding.logo_removed", "campaign.updated", "campaign.deleted", "ad.updated", "ad.deleted", "screenshot_set.updated", "screenshot_set.deleted", "share_link.created", "share_link.revoked", "session.started", "session.refused", "session.ended"]] = None, actor: Optional[str] = None, from_: Optional[str] = None, to: Optional[str] = None, after: Optional[str] = None) -> Iterator["AuditLogEntry"]:
        """List administrative actions, newest first. Reads all pages from `page` on, one after the other."""
        return self.iterate(lambda number: self.list_audit_log(page=number, per_page=per_page, action=action, actor=actor, from_=from_, to=to, after=after), page or 1)
