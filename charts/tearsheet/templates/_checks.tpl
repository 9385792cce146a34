{{- /* Rejects values that cannot work together, before Helm installs anything. The message lists all faults. */ -}}
{{- define "tearsheet.checks" -}}
{{- $faults := "" -}}
{{- range list "missingValues" "partners" "badAddresses" "badKeys" "badNumbers" -}}
{{- $faults = printf "%s\n%s" $faults (include (printf "tearsheet.%s" .) $) -}}
{{- end -}}
{{- with $faults | trim }}{{ fail (regexReplaceAll "\\s*\n\\s*" . "\n") }}{{ end -}}
{{- end }}

{{- define "tearsheet.missingValues" -}}
{{- $v := .Values -}}
{{- if not $v.publicUrl }}
publicUrl is not set: how clients reach the service, for example --set publicUrl=https://tearsheet.example.com.
{{- end }}
{{- if not (or $v.database.url $v.database.existingSecret $v.trial.postgres.enabled) }}
No database: set database.url or database.existingSecret (a PostgreSQL 15 or newer), or trial.postgres.enabled to try it out.
{{- end }}
{{- if not $v.artifacts.url }}
artifacts.url is not set: where pictures are kept, s3://bucket/prefix, or file:///folder to try it out.
{{- end }}
{{- if and $v.networkPolicy.enabled (not $v.networkPolicy.dnsTo) }}
networkPolicy.dnsTo is empty, so captures could reach every name server. Name the name servers of the cluster, or leave the default.
{{- end }}
{{- if and $v.api.httpRoute.enabled (not $v.api.httpRoute.parentRefs) }}
api.httpRoute.parentRefs is empty, so no Gateway would serve the route. Name one, for example [{name: public}].
{{- end }}
{{- if and (regexMatch "^https://login[.]microsoftonline[.]com/(common|organizations)/" $v.signIn.issuer) (empty $v.signIn.tenants) }}
signIn.issuer serves all tenants of Entra ID: set signIn.tenants to the ids of those that may sign in.
{{- end }}
{{- range $pods := list "pods" "capture" }}
{{- if and (eq (get $v $pods).dnsPolicy "None") (not (get $v $pods).dnsConfig) }}
{{ $pods }}.dnsPolicy None needs {{ $pods }}.dnsConfig with the name servers.
{{- end }}
{{- end }}
{{- end }}

{{- /* (list root "a.b.c"): "true" if the value is set. */ -}}
{{- define "tearsheet.isSet" -}}
{{- $value := (index . 0).Values -}}
{{- range splitList "." (index . 1) }}{{ $value = get $value . }}{{ end -}}
{{- if $value }}true{{ end -}}
{{- end }}

{{- /* Values of which one needs or excludes the other. */ -}}
{{- define "tearsheet.partners" -}}
{{- range list
  (list "mail.from" "mail.existingSecret") (list "mail.existingSecret" "mail.from")
  (list "signIn.issuer" "signIn.clientId") (list "signIn.issuer" "signIn.existingSecret")
  (list "signIn.clientId" "signIn.issuer") (list "signIn.existingSecret" "signIn.issuer") (list "signIn.rules" "signIn.issuer") (list "signIn.tenants" "signIn.issuer")
  (list "tracing.existingSecret" "tracing.endpoint")
  (list "locations.existingSecret" "locations.list") (list "locations.proxiesAt" "locations.list")
  (list "artifacts.accessKeyId" "artifacts.secretAccessKey") (list "artifacts.secretAccessKey" "artifacts.accessKeyId")
  (list "trial.postgres.password" "trial.postgres.enabled") (list "trial.postgres.size" "trial.postgres.enabled")
  (list "trial.postgres.storageClassName" "trial.postgres.size")
  (list "capture.queuePriorityClasses" "capture.queueName")
}}
{{- if and (include "tearsheet.isSet" (list $ (index . 0))) (not (include "tearsheet.isSet" (list $ (index . 1)))) }}
{{ index . 0 }} needs {{ index . 1 }}: set both or none.
{{- end }}
{{- end }}
{{- range list
  (list "database.url" "database.existingSecret") (list "database.url" "trial.postgres.enabled") (list "database.existingSecret" "trial.postgres.enabled")
  (list "artifacts.accessKeyId" "artifacts.existingSecret") (list "artifacts.folder.size" "artifacts.folder.existingClaim")
  (list "monitoring.serviceMonitor.enabled" "monitoring.podMonitor.enabled")
}}
{{- if and (include "tearsheet.isSet" (list $ (index . 0))) (include "tearsheet.isSet" (list $ (index . 1))) }}
{{ index . 0 }} and {{ index . 1 }} are both set, and only one can count. Leave one.
{{- end }}
{{- end }}
{{- $a := .Values.artifacts }}
{{- if and (hasPrefix "s3:" $a.url) (or $a.folder.size $a.folder.existingClaim) }}
artifacts.folder needs artifacts.url to be file:///folder; a bucket needs no claim.
{{- end }}
{{- range list "endpoint" "publicEndpoint" "accessKeyId" "existingSecret" }}
{{- if and (hasPrefix "file:" $a.url) (get $a .) }}
artifacts.{{ . }} needs artifacts.url to be s3://bucket/prefix.
{{- end }}
{{- end }}
{{- if and (hasPrefix "file:" $a.url) (not $a.folder.existingClaim) (or .Values.api.autoscaling.enabled (gt (int .Values.api.replicas) 1)) }}
Pictures in a folder that one node writes: set api.replicas to 1 and api.autoscaling.enabled to false, or artifacts.folder.existingClaim to a claim that all nodes can write, or artifacts.url to s3://bucket/prefix.
{{- end }}
{{- end }}

{{- /* Addresses that are stored in a ConfigMap, or whose port is in a NetworkPolicy. */ -}}
{{- define "tearsheet.badAddresses" -}}
{{- $v := .Values -}}
{{- $host := "(\\[[0-9a-fA-F:.]+\\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?" -}}
{{- range list
  (list "publicUrl" $v.publicUrl) (list "artifacts.endpoint" $v.artifacts.endpoint) (list "artifacts.publicEndpoint" $v.artifacts.publicEndpoint)
  (list "signIn.issuer" $v.signIn.issuer) (list "tracing.endpoint" $v.tracing.endpoint)
}}
{{- $name := index . 0 }}
{{- with index . 1 }}
{{- if regexMatch "^[a-z]+://[^/]*@" . }}
{{ $name }} contains credentials, which a ConfigMap would show to everybody who may read it.
{{- else if not (regexMatch (printf "^https?://%s(/[^?#[:space:]]*)?$" $host) .) }}
{{ $name }} must be http:// or https:// with a host, and if needed a port and a path, for example https://host.example:8443/path.
{{- end }}
{{- end }}
{{- end }}
{{- if and $v.api.ingress.enabled (include "tearsheet.publicPath" .) }}
api.ingress cannot remove the path of publicUrl, which the service does not expect in requests. Use api.httpRoute, or an Ingress of extraObjects with the rewrite of your controller.
{{- end }}
{{- range $v.locations.list }}
{{- if regexMatch "^[a-z0-9]+://[^/]*@" .proxy }}
locations.list: the proxy of {{ .id }} contains credentials, which a ConfigMap would show to everybody who may read it. Put them into the Secret of locations.existingSecret.
{{- else if not (regexMatch (printf "^(https?|socks5)://%s/?$" $host) .proxy) }}
locations.list: the proxy of {{ .id }} must be http://host:port, https://host:port or socks5://host:port.
{{- end }}
{{- end }}
{{- if and $v.database.url (not (regexMatch "^postgres(ql)?://([^/?#]*@)?(\\[[0-9a-fA-F:.]+\\]|[^/?#@:\\[\\]]*)(:[0-9]{1,5})?([/?].*)?$" $v.database.url)) }}
database.url cannot be read: write #, / and ? in user and password as %23, %2F and %3F.
{{- end }}
{{- end }}

{{- /* Keys that the chart sets itself: twice in a manifest, one of them would be lost. */ -}}
{{- define "tearsheet.badKeys" -}}
{{- $v := .Values -}}
{{- $m := $v.monitoring -}}
{{- $labels := dict "commonLabels" $v.commonLabels "pods.labels" $v.pods.labels "capture.podLabels" $v.capture.podLabels "monitoring.serviceMonitor.labels" $m.serviceMonitor.labels "monitoring.prometheusRule.labels" $m.prometheusRule.labels "monitoring.grafanaDashboard.labels" $m.grafanaDashboard.labels -}}
{{- range $name, $given := $labels }}
{{- range $key := keys ($given | default dict) | sortAlpha }}
{{- if regexMatch "^(app.kubernetes.io/(name|instance|component|version|managed-by)|helm.sh/chart|tearsheet.dev/.*)$" $key }}
{{ $name }} must not set {{ $key }}: the chart sets this label itself.
{{- end }}
{{- end }}
{{- end }}
{{- range $key := list "type" "selector" "ports" }}
{{- if hasKey ($v.api.service.extraSpec | default dict) $key }}
api.service.extraSpec must not set {{ $key }}: the chart sets it itself{{ if ne $key "selector" }}, by api.service.{{ trimSuffix "s" $key }}{{ end }}.
{{- end }}
{{- end }}
{{- end }}

{{- define "tearsheet.badNumbers" -}}
{{- $v := .Values -}}
{{- with $v.api.autoscaling }}
{{- if and .enabled (gt (int .minReplicas) (int .maxReplicas)) }}
api.autoscaling.minReplicas is {{ int .minReplicas }}, more than api.autoscaling.maxReplicas, {{ int .maxReplicas }}.
{{- end }}
{{- end }}
{{- range $name, $budget := dict "pods" $v.pods.podDisruptionBudget "api" $v.api.podDisruptionBudget "controller" $v.controller.podDisruptionBudget }}
{{- with ($budget | default dict) }}
{{- if and (hasKey . "maxUnavailable") (not (regexMatch "^([1-9][0-9]*|([1-9][0-9]?|100)%)$" (include "tearsheet.plain" .maxUnavailable))) }}
{{ $name }}.podDisruptionBudget.maxUnavailable must be a number from 1, or a percentage from 1% to 100%. With 0, no node could be drained.
{{- end }}
{{- end }}
{{- end }}
{{- end }}
