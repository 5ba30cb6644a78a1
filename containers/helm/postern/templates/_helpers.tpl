{{- define "postern.name" -}}
{{- printf "%s-postern" .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{- define "postern.selector" -}}
app.kubernetes.io/name: postern
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "postern.labels" -}}
{{ include "postern.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- /* YAML reads `on` as true, and Helm reads a large number as 1.073741824e+10. No setting accepts these. */ -}}
{{- define "postern.setting" -}}
{{- if kindIs "bool" . -}}
{{ ternary "on" "off" . }}
{{- else if kindIs "string" . -}}
{{ . }}
{{- else if not (kindIs "invalid" .) -}}
{{ toJson . }}
{{- end -}}
{{- end -}}
