{{- /* Parts that API and controller share. Each takes (dict "root" $ "component" "api" "values" .Values.api). */ -}}

{{- define "tearsheet.podMetadata" -}}
{{- $root := .root -}}
{{- /* kubectl shows the log of this container if the command names none. */ -}}
{{- $annotations := dict "kubectl.kubernetes.io/default-container" .component -}}
{{- /* Everyone who may read pods sees this checksum of passwords, and passwords may be weak. With scrypt, each guess costs 0.1 s. */ -}}
{{- $_ := set $annotations "checksum/secrets" (include "tearsheet.secretsChecksum" $root) -}}
labels:
  {{- include "tearsheet.labelsWith" (list $root .root.Values.pods.labels) | nindent 2 }}
  app.kubernetes.io/component: {{ .component }}
  tearsheet.dev/serves-metrics: "true"
annotations:
  {{- toYaml (merge dict (.root.Values.pods.annotations | default dict) $annotations) | nindent 2 }}
{{- end }}

{{- /* The first call keeps the checksum in .Values for the second, because scrypt takes most of the time of a rendering. */ -}}
{{- define "tearsheet.secretsChecksum" -}}
{{- if not (hasKey .Values "secretsChecksum") }}
{{- $secrets := list .Values.database .Values.artifacts .Values.secretsKeys | toJson }}
{{- $_ := derivePassword 1 "maximum" $secrets .Release.Namespace "tearsheet" | sha256sum | set .Values "secretsChecksum" }}
{{- end }}
{{- .Values.secretsChecksum }}
{{- end }}

{{- define "tearsheet.podPlacement" -}}
{{- $root := .root -}}
{{- with $root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $root.Values.podSecurityContext }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.priorityClassName | default .root.Values.pods.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .root.Values.pods.dnsPolicy }}
dnsPolicy: {{ . }}
{{- end }}
{{- with .root.Values.pods.dnsConfig }}
dnsConfig:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.pods.hostAliases }}
hostAliases:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.nodeSelector | default .root.Values.pods.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations | default .root.Values.pods.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- $affinity := .values.affinity | default .root.Values.pods.affinity }}
{{- if $affinity }}
affinity:
  {{- toYaml $affinity | nindent 2 }}
{{- else if and (ne .component "api") (include "tearsheet.hasOwnClaim" $root) }}
affinity:
  # Only one node can mount the folder with the pictures.
  podAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: kubernetes.io/hostname
        labelSelector:
          matchLabels:
            {{- include "tearsheet.selector" (list $root "api") | nindent 12 }}
{{- end }}
topologySpreadConstraints:
{{- with .values.topologySpreadConstraints | default .root.Values.pods.topologySpreadConstraints }}
  {{- toYaml . | nindent 2 }}
{{- else }}
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "tearsheet.selector" (list $root .component) | nindent 8 }}
{{- end }}
{{- end }}

{{- define "tearsheet.containerBasics" -}}
image: {{ include "tearsheet.image" .root }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
{{- with .root.Values.securityContext }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* Settings, then secrets, then additions from the values. If a name occurs twice, Kubernetes uses the later one. */ -}}
{{- define "tearsheet.environment" -}}
{{- $root := .root -}}
envFrom:
  - configMapRef: { name: {{ include "tearsheet.settingsName" $root }} }
  {{- with .root.Values.pods.extraEnvFrom }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
env:
  - name: DATABASE_URL
    valueFrom: { secretKeyRef: { name: {{ include "tearsheet.databaseSecret" $root }}, key: {{ include "tearsheet.databaseSecretKey" $root }} } }
  - name: SECRETS_KEYS
    valueFrom: { secretKeyRef: { name: {{ include "tearsheet.secretsKeysSecret" $root }}, key: {{ include "tearsheet.secretsKeysSecretKey" $root }} } }
  {{- with include "tearsheet.artifactsSecret" $root }}
  - name: AWS_ACCESS_KEY_ID
    valueFrom: { secretKeyRef: { name: {{ . }}, key: AWS_ACCESS_KEY_ID } }
  - name: AWS_SECRET_ACCESS_KEY
    valueFrom: { secretKeyRef: { name: {{ . }}, key: AWS_SECRET_ACCESS_KEY } }
  - name: AWS_SESSION_TOKEN
    valueFrom: { secretKeyRef: { name: {{ . }}, key: AWS_SESSION_TOKEN, optional: true } }
  {{- end }}
  {{- with $root.Values.mail.existingSecret }}
  - name: SMTP_URL
    valueFrom: { secretKeyRef: { name: {{ . }}, key: {{ $root.Values.mail.existingSecretKey }} } }
  {{- end }}
  {{- if and (has .component (list "api" "test")) $root.Values.signIn.existingSecret }}
  - name: OIDC_CLIENT_SECRET
    valueFrom: { secretKeyRef: { name: {{ $root.Values.signIn.existingSecret }}, key: {{ $root.Values.signIn.existingSecretKey }} } }
  {{- end }}
  {{- with $root.Values.tracing }}
  {{- if and .endpoint .existingSecret }}
  - name: OTEL_EXPORTER_OTLP_HEADERS
    valueFrom: { secretKeyRef: { name: {{ .existingSecret }}, key: {{ .existingSecretKey }} } }
  {{- end }}
  {{- end }}
  - name: NAMESPACE
    valueFrom: { fieldRef: { fieldPath: metadata.namespace } }
  {{- if and (has .component (list "api" "test")) $root.Values.locations.existingSecret }}
  - name: LOCATION_CREDENTIALS
    valueFrom: { secretKeyRef: { name: {{ $root.Values.locations.existingSecret }}, key: {{ $root.Values.locations.existingSecretKey }} } }
  {{- end }}
  {{- with .values.databasePoolSize }}
  - { name: DATABASE_POOL_SIZE, value: {{ . | quote }} }
  {{- end }}
  {{- if eq .component "controller" }}
  # With a heap limit, V8 collects garbage before it takes more memory. The heap of 10,000 ScreenshotJobs and their Jobs is 63 MiB.
  - { name: NODE_OPTIONS, value: --max-old-space-size=128 --max-semi-space-size=8 }
  {{- end }}
  {{- with .root.Values.pods.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{- define "tearsheet.probes" -}}
startupProbe:
  httpGet: { path: /livez, port: metrics }
  {{- toYaml .root.Values.pods.startupProbe | nindent 2 }}
livenessProbe:
  httpGet: { path: /livez, port: metrics }
  {{- toYaml .root.Values.pods.livenessProbe | nindent 2 }}
readinessProbe:
  httpGet: { path: /readyz, port: metrics }
  {{- toYaml .root.Values.pods.readinessProbe | nindent 2 }}
{{- end }}

{{- /* Takes also "several": whether there can be more than one pod. The budget of a single pod would prevent each drain. */ -}}
{{- define "tearsheet.budget" -}}
{{- $budget := deepCopy .root.Values.pods.podDisruptionBudget -}}
{{- range $key, $value := .values.podDisruptionBudget }}{{ $_ := set $budget $key $value }}{{ end -}}
{{- if and $budget.enabled .several }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "tearsheet.fullname" .root }}-{{ .component }}
  labels:
    {{- include "tearsheet.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
spec:
  maxUnavailable: {{ $budget.maxUnavailable }}
  # A pod that is not ready serves nobody, so losing it loses nothing.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "tearsheet.selector" (list .root .component) | nindent 6 }}
{{- end }}
{{- end }}

{{- /* Both API and controller migrate. One migrates under an advisory lock; the others wait. */ -}}
{{- define "tearsheet.migration" -}}
- name: migrate
  {{- include "tearsheet.containerBasics" . | nindent 2 }}
  args: [migrate, --wait, "60"]
  {{- include "tearsheet.environment" . | nindent 2 }}
  resources:
    {{- toYaml .values.resources | nindent 4 }}
  volumeMounts:
    - { name: tmp, mountPath: /tmp }
    {{- with .root.Values.pods.extraVolumeMounts }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end }}

{{- define "tearsheet.hasOwnClaim" -}}
{{- if and (hasPrefix "file:" .Values.artifacts.url) .Values.artifacts.folder.size (not .Values.artifacts.folder.existingClaim) }}true{{ end -}}
{{- end }}

{{- define "tearsheet.folderIsShared" -}}
{{- with .Values.artifacts.folder }}{{ if or .size .existingClaim }}true{{ end }}{{ end -}}
{{- end }}

{{- define "tearsheet.volumeMounts" -}}
- { name: tmp, mountPath: /tmp }
{{- if hasPrefix "file:" .root.Values.artifacts.url }}
- { name: pictures, mountPath: {{ trimPrefix "file://" .root.Values.artifacts.url }} }
{{- end }}
{{- if and (eq .component "api") .root.Values.api.internalTls.existingSecret }}
- { name: internal-tls, mountPath: /etc/tearsheet/internal-tls, readOnly: true }
{{- end }}
{{- with .root.Values.pods.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "tearsheet.volumes" -}}
- name: tmp
  emptyDir: { sizeLimit: 256Mi }
{{- if hasPrefix "file:" .root.Values.artifacts.url }}
- name: pictures
  {{- if include "tearsheet.folderIsShared" .root }}
  persistentVolumeClaim:
    claimName: {{ .root.Values.artifacts.folder.existingClaim | default (printf "%s-pictures" (include "tearsheet.fullname" .root)) }}
  {{- else }}
  emptyDir: {}
  {{- end }}
{{- end }}
{{- if and (eq .component "api") .root.Values.api.internalTls.existingSecret }}
- name: internal-tls
  secret: { secretName: {{ .root.Values.api.internalTls.existingSecret }} }
{{- end }}
{{- with .root.Values.pods.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}
