{{- /* The settings of all processes: first those that the chart derives from other values, then `settings`. */ -}}
{{- define "tearsheet.settings" -}}
{{- $v := .Values -}}
{{- $name := include "tearsheet.fullname" . -}}
{{- $derived := dict
  "PUBLIC_URL" $v.publicUrl
  "INTERNAL_URL" (printf "%s://%s-internal:8081" (ternary "https" "http" (not (empty $v.api.internalTls.existingSecret))) $name)
  "INTERNAL_TLS_FOLDER" (ternary "/etc/tearsheet/internal-tls" "" (not (empty $v.api.internalTls.existingSecret)))
  "PORT" "8080"
  "INTERNAL_PORT" "8081"
  "METRICS_PORT" "9090"
  "ARTIFACTS_URL" $v.artifacts.url
  "S3_REGION" $v.artifacts.region
  "S3_FORCE_PATH_STYLE" (toString $v.artifacts.forcePathStyle)
  "S3_ENDPOINT" $v.artifacts.endpoint
  "S3_PUBLIC_ENDPOINT" $v.artifacts.publicEndpoint
  "EGRESS_ALLOW" (join "," $v.egress.allow)
  "MAIL_FROM" $v.mail.from
  "OIDC_ISSUER" $v.signIn.issuer
  "OIDC_CLIENT_ID" $v.signIn.clientId
  "OIDC_TENANTS" (join "," $v.signIn.tenants)
  "MEMBERSHIP_RULES" (ternary (toJson $v.signIn.rules) "" (not (empty $v.signIn.rules)))
  "OTEL_EXPORTER_OTLP_ENDPOINT" $v.tracing.endpoint
  "LOCATIONS" (empty $v.locations.list | ternary "" (toJson $v.locations.list))
  "LEASE_NAME" (printf "%s-controller" $name)
  "READ_NODES" (toString $v.rbac.nodes)
  "CAPTURE_PROFILE" "/etc/tearsheet/capture/profile.json"
  "CAPTURE_SERVICE_ACCOUNT" (include "tearsheet.account" (list . "capture"))
  "CAPTURE_PARALLELISM" $v.capture.parallelism
  "CAPTURE_RETRIES" $v.capture.retries
  "CAPTURE_POD_DEADLINE_SECONDS" $v.capture.podDeadlineSeconds
  "SCHEDULING_DEADLINE_SECONDS" $v.capture.schedulingDeadlineSeconds
  "SET_DEADLINE_SECONDS" $v.capture.setDeadlineSeconds
  "MAX_PODS" $v.capture.maxPods
  "MAX_PODS_PER_ORGANIZATION" $v.capture.maxPodsPerOrganization
-}}
{{- range $key, $value := merge $derived $v.settings }}
{{- if ne (toString $value) "" }}
{{ $key }}: {{ include "tearsheet.plain" $value | quote }}
{{- end }}
{{- end }}
{{- end }}

{{- /* Helm reads numbers of a values file as floats and would write large ones as 1e+06. */ -}}
{{- define "tearsheet.plain" -}}
{{- if kindIs "float64" . }}{{ printf "%.0f" . }}{{ else }}{{ . }}{{ end -}}
{{- end }}

{{- /* The settings that captures read. The controller passes nothing else of the environment to a capture pod. */ -}}
{{- define "tearsheet.captureSettings" -}}
{{- $settings := include "tearsheet.settings" . | fromYaml -}}
{{- $env := list -}}
{{- range list "LOG_LEVEL" "EGRESS_ALLOW" "CHROMIUM_SANDBOX" "NAVIGATION_TIMEOUT_MS" }}
{{- if hasKey $settings . }}{{ $env = append $env (dict "name" . "value" (get $settings .)) }}{{ end }}
{{- end }}
{{- toJson $env }}
{{- end }}

{{- /* The capture profile (src/contract/captureProfile.ts). The controller creates capture pods from it. */ -}}
{{- define "tearsheet.captureProfile" -}}
{{- $c := .Values.capture -}}
{{- $tls := .Values.api.internalTls -}}
{{- $env := include "tearsheet.captureSettings" . | fromJsonArray -}}
{{- $volumes := $c.extraVolumes -}}
{{- $mounts := $c.extraVolumeMounts -}}
{{- if $tls.existingSecret -}}
{{- $named := list -}}
{{- range $c.extraEnv }}{{ $named = append $named .name }}{{ end -}}
{{- if not (has "NODE_EXTRA_CA_CERTS" $named) -}}
{{- $env = append $env (dict "name" "NODE_EXTRA_CA_CERTS" "value" "/etc/tearsheet/internal-ca/ca.crt") -}}
{{- end -}}
{{- /* Never the key of the certificate. */ -}}
{{- $secret := dict "secretName" $tls.existingSecret "items" (list (dict "key" $tls.caKey "path" "ca.crt")) -}}
{{- $volumes = prepend $volumes (dict "name" "internal-ca" "secret" $secret) -}}
{{- $mounts = prepend $mounts (dict "name" "internal-ca" "mountPath" "/etc/tearsheet/internal-ca" "readOnly" true) -}}
{{- end -}}
{{- $captures := dict "matchLabels" (include "tearsheet.selector" (list . "capture") | fromYaml) -}}
{{- $spread := list -}}
{{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" -}}
{{- $spread = append $spread (dict "maxSkew" 1 "topologyKey" . "whenUnsatisfiable" "ScheduleAnyway" "labelSelector" $captures) -}}
{{- end -}}
{{- $profile := dict
  "image" (include "tearsheet.image" .)
  "imagePullPolicy" .Values.image.pullPolicy
  "imagePullSecrets" .Values.imagePullSecrets
  "serviceAccountName" (include "tearsheet.account" (list . "capture"))
  "resources" $c.resources
  "shmSize" $c.shmSize
  "tmpSize" $c.tmpSize
  "seccompProfile" $c.seccompProfile
  "terminationGracePeriodSeconds" $c.terminationGracePeriodSeconds
  "env" (concat $env $c.extraEnv | default list)
  "nodeSelector" $c.nodeSelector
  "tolerations" $c.tolerations
  "topologySpreadConstraints" ($c.topologySpreadConstraints | default $spread)
  "podLabels" (merge (dict "app.kubernetes.io/instance" .Release.Name) $c.podLabels .Values.commonLabels)
  "podAnnotations" $c.podAnnotations
  "volumes" $volumes
  "volumeMounts" $mounts
-}}
{{- /* null removes a default. */ -}}
{{- range $key, $value := $profile }}
{{- if kindIs "invalid" $value }}{{ $_ := unset $profile $key }}{{ end }}
{{- end }}
{{- range $key := list "affinity" "runtimeClassName" "priorityClassName" "priorityClasses" "schedulerName" "queueName" "queuePriorityClasses" "dnsPolicy" "dnsConfig" "hostAliases" }}
{{- with get $c $key }}{{ $_ := set $profile $key . }}{{ end }}
{{- end }}
{{- toPrettyJson $profile }}
{{- end }}

{{- /*
Processes read both ConfigMaps at their start. The hash of the content in their names creates new pods with each change, and a rollback
gives the pods of the earlier revision its content back.
*/ -}}
{{- define "tearsheet.settingsName" -}}
{{ include "tearsheet.fullname" . }}-settings-{{ include "tearsheet.settings" . | sha256sum | trunc 10 }}
{{- end }}
{{- define "tearsheet.captureProfileName" -}}
{{ include "tearsheet.fullname" . }}-capture-profile-{{ include "tearsheet.captureProfile" . | sha256sum | trunc 10 }}
{{- end }}
