{{- /* Rejects values that cannot work together, before Helm installs anything. */ -}}
{{- define "tearsheet.checks" -}}
{{- $v := .Values -}}
{{- if not $v.publicUrl -}}
{{- fail "publicUrl is not set: how clients reach the service, for example --set publicUrl=https://tearsheet.example.com." -}}
{{- end -}}
{{- if not (or $v.database.url $v.database.existingSecret $v.trial.postgres.enabled) -}}
{{- fail "No database: set database.url or database.existingSecret (a PostgreSQL 15 or newer), or trial.postgres.enabled to try it out." -}}
{{- end -}}
{{- if and $v.trial.postgres.enabled (or $v.database.url $v.database.existingSecret) -}}
{{- fail "Two databases: trial.postgres.enabled, and database.url or database.existingSecret. Leave one." -}}
{{- end -}}
{{- if not $v.artifacts.url -}}
{{- fail "artifacts.url is not set: where pictures are kept, s3://bucket/prefix, or file:///folder to try it out." -}}
{{- end -}}
{{- if and $v.mail.existingSecret (not $v.mail.from) -}}
{{- fail "mail.from is not set: the sender of mails, for example Tearsheet <tearsheet@example.com>." -}}
{{- end -}}
{{- if and $v.signIn.issuer (not (and $v.signIn.clientId $v.signIn.existingSecret)) -}}
{{- fail "signIn.issuer needs signIn.clientId, and signIn.existingSecret with the secret of the client." -}}
{{- end -}}
{{- if and (regexMatch "^https://login[.]microsoftonline[.]com/(common|organizations)/" $v.signIn.issuer) (empty $v.signIn.tenants) -}}
{{- fail "signIn.issuer serves all tenants of Entra ID: set signIn.tenants to the ids of those that may sign in." -}}
{{- end -}}
{{- if ne (empty $v.artifacts.accessKeyId) (empty $v.artifacts.secretAccessKey) -}}
{{- fail "artifacts.accessKeyId and artifacts.secretAccessKey go together." -}}
{{- end -}}
{{- if and (hasPrefix "file:" $v.artifacts.url) (not $v.artifacts.folder.existingClaim) (or $v.api.autoscaling.enabled (gt (int $v.api.replicas) 1)) -}}
{{- fail "Pictures in a folder that one node writes: set api.replicas to 1 and api.autoscaling.enabled to false, or artifacts.folder.existingClaim to a claim that all nodes can write, or artifacts.url to s3://bucket/prefix." -}}
{{- end -}}
{{- end }}
