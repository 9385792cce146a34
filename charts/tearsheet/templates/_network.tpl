{{- define "tearsheet.metricsIngress" -}}
- ports: [{ port: metrics }]
  from:
    {{- toYaml (.Values.networkPolicy.metricsFrom | default (list (dict "namespaceSelector" dict))) | nindent 4 }}
    {{- if .Values.networkPolicy.metricsFrom }}
    - podSelector:
        matchLabels:
          {{- include "tearsheet.selector" (list . "test") | nindent 10 }}
    {{- end }}
{{- end }}

{{- define "tearsheet.dnsPorts" -}}
{{- /* Name servers of OpenShift listen on 5353. */ -}}
{{- range list 53 5353 }}
- { port: {{ . }}, protocol: UDP }
- { port: {{ . }}, protocol: TCP }
{{- end }}
{{- end }}

{{- define "tearsheet.dnsAnywhere" -}}
- ports:
    {{- include "tearsheet.dnsPorts" . | trim | nindent 4 }}
{{- end }}

{{- /* Ports of the cluster's API, PostgreSQL, S3, the mail server, the provider and the collector, as a list without repetitions. */ -}}
{{- define "tearsheet.serverPorts" -}}
{{- $ports := list 443 6443 5432 -}}
{{- if .Values.mail.existingSecret }}{{ $ports = concat $ports (list 465 587) }}{{ end -}}
{{- range list .Values.database.url .Values.artifacts.endpoint .Values.signIn.issuer .Values.tracing.endpoint .Values.settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT -}}
{{- $port := include "tearsheet.portOf" . -}}
{{- if $port }}{{ $ports = append $ports (int $port) }}{{ end -}}
{{- if hasPrefix "http://" (. | default "") }}{{ if not $port }}{{ $ports = append $ports 80 }}{{ end }}{{ end -}}
{{- end -}}
{{- $ports | uniq | toJson }}
{{- end }}

{{- /* Host and port of an address. urlParse would end the rendering at a password with characters that PostgreSQL's clients accept. */ -}}
{{- define "tearsheet.authority" -}}
{{- regexReplaceAll "^[a-z0-9]+://([^/?#]*@)?([^/?#]*).*$" (. | default "") "${2}" }}
{{- end }}

{{- define "tearsheet.portOf" -}}
{{- regexFind ":[0-9]+$" (include "tearsheet.authority" .) | trimPrefix ":" }}
{{- end }}

{{- /* Ports of the proxies of locations, as a list without repetitions. */ -}}
{{- define "tearsheet.proxyPorts" -}}
{{- $ports := list -}}
{{- range .Values.locations.list -}}
{{- $scheme := splitList ":" .proxy | first -}}
{{- $ports = append $ports (int (default (get (dict "http" "80" "https" "443" "socks5" "1080") $scheme) (include "tearsheet.portOf" .proxy))) -}}
{{- end -}}
{{- $ports | uniq | toJson }}
{{- end }}

{{- /* Addresses that no browser may reach. src/egress/addresses.ts refuses the same addresses. */ -}}
{{- define "tearsheet.notPublic4" -}}
- 0.0.0.0/8
- 10.0.0.0/8
- 100.64.0.0/10
- 127.0.0.0/8
- 168.63.129.16/32
- 169.254.0.0/16
- 172.16.0.0/12
- 192.0.0.0/24
- 192.0.2.0/24
- 192.88.99.0/24
- 192.168.0.0/16
- 198.18.0.0/15
- 198.51.100.0/24
- 203.0.113.0/24
- 224.0.0.0/3
{{- end }}

{{- define "tearsheet.notPublic6" -}}
- 2001::/23
- 2001:db8::/32
- 2002::/16
{{- end }}
