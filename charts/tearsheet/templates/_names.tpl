{{- /* 40 characters: the longest suffix still fits into the 63 of a name. */ -}}
{{- define "tearsheet.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "tearsheet.labels" -}}
{{- include "tearsheet.labelsWith" (list . dict) }}
{{- end }}

{{- /* (list root more): the labels of an object, each once. Those of `more` count before commonLabels. */ -}}
{{- define "tearsheet.labelsWith" -}}
{{- $root := index . 0 -}}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" | trunc 63 }}
app.kubernetes.io/name: tearsheet
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
{{ toYaml (merge dict (index . 1 | default dict) ($root.Values.commonLabels | default dict) (dict "app.kubernetes.io/part-of" "tearsheet")) }}
{{- end }}

{{- /* (list root component): labels that select the pods of a component. They never change within a release. */ -}}
{{- define "tearsheet.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: tearsheet
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- /* (list root component): name of its service account. */ -}}
{{- define "tearsheet.account" -}}
{{- $root := index . 0 -}}
{{- (get $root.Values (index . 1)).serviceAccount.name | default (printf "%s-%s" (include "tearsheet.fullname" $root) (index . 1)) }}
{{- end }}

{{- define "tearsheet.image" -}}
{{- $tag := .Values.image.tag | default .Chart.AppVersion | toString -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ $tag }}
{{- end -}}
{{- end }}

{{- define "tearsheet.databaseSecret" -}}
{{- .Values.database.existingSecret | default (printf "%s-database" (include "tearsheet.fullname" .)) }}
{{- end }}

{{- define "tearsheet.databaseSecretKey" -}}
{{- ternary .Values.database.existingSecretKey "DATABASE_URL" (not (empty .Values.database.existingSecret)) }}
{{- end }}

{{- define "tearsheet.secretsKeysSecret" -}}
{{- .Values.secretsKeys.existingSecret | default (printf "%s-secrets-keys" (include "tearsheet.fullname" .)) }}
{{- end }}

{{- define "tearsheet.secretsKeysSecretKey" -}}
{{- ternary .Values.secretsKeys.existingSecretKey "SECRETS_KEYS" (not (empty .Values.secretsKeys.existingSecret)) }}
{{- end }}

{{- /* Empty if pods use the default AWS credential chain. */ -}}
{{- define "tearsheet.artifactsSecret" -}}
{{- if .Values.artifacts.existingSecret -}}
{{ .Values.artifacts.existingSecret }}
{{- else if .Values.artifacts.accessKeyId -}}
{{ include "tearsheet.fullname" . }}-artifacts
{{- end -}}
{{- end }}

{{- /* The host name in publicUrl. Empty if it is an IP address, which neither an Ingress nor a route accepts. */ -}}
{{- define "tearsheet.publicHost" -}}
{{- $host := regexReplaceAll ":[0-9]+$" (include "tearsheet.authority" .Values.publicUrl) "" -}}
{{- if not (regexMatch "^(\\[.*\\]|[0-9.]+)$" $host) }}{{ $host }}{{ end -}}
{{- end }}

{{- /* The path in publicUrl, without a slash at its end. */ -}}
{{- define "tearsheet.publicPath" -}}
{{- regexReplaceAll "^https?://[^/]*(.*?)/*$" .Values.publicUrl "${1}" }}
{{- end }}

{{- /* The release that owns the definition, if it exists and is not ours. Helm would refuse to install over it. */ -}}
{{- define "tearsheet.definitionOfAnother" -}}
{{- with lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" "screenshotjobs.tearsheet.dev" -}}
{{- $name := dig "annotations" "meta.helm.sh/release-name" "" .metadata -}}
{{- $namespace := dig "annotations" "meta.helm.sh/release-namespace" "" .metadata -}}
{{- if or (ne $name $.Release.Name) (ne $namespace $.Release.Namespace) -}}
{{- if $name }}the release {{ $name }} in the namespace {{ $namespace }}{{ else }}no release{{ end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- /* For NOTES.txt: a line for each object that `helm uninstall` leaves. */ -}}
{{- define "tearsheet.staysAfterUninstall" -}}
{{- $name := include "tearsheet.fullname" . -}}
{{- $in := printf "-n %s" .Release.Namespace -}}
{{- if and .Values.crds.install .Values.crds.keep (not (include "tearsheet.definitionOfAnother" .)) }}
  - the definition: kubectl delete crd screenshotjobs.tearsheet.dev (removes the ScreenshotJobs of all namespaces)
{{- end }}
{{- if not .Values.trial.postgres.enabled }}
  - the database, with every request, key and result
{{- else if .Values.trial.postgres.size }}
  - the claim of its PostgreSQL, and the password: kubectl {{ $in }} delete pvc/data-{{ $name }}-postgres-0 secret/{{ $name }}-database
{{- end }}
{{- if and (not .Values.secretsKeys.existingSecret) (not (and .Values.trial.postgres.enabled (not .Values.trial.postgres.size))) }}
  - the keys of the secrets in the database: kubectl {{ $in }} delete secret {{ $name }}-secrets-keys (only if you also delete the database)
{{- end }}
{{- if hasPrefix "s3:" .Values.artifacts.url }}
  - the pictures in {{ .Values.artifacts.url }}
{{- else if .Values.artifacts.folder.size }}
  - the pictures: kubectl {{ $in }} delete pvc {{ $name }}-pictures
{{- end }}
{{- end }}
