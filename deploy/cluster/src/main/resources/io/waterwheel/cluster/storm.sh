#!/usr/bin/env bash
# The command "storm" of a Storm home that was put together from jars: Storm publishes its own only inside its release.
# It takes what Storm 2's takes, from the same places:
#
#   storm jar FILE MAIN [ARG]...     runs MAIN, which submits FILE to Nimbus
#   storm list | kill NAME [-w SECONDS] | activate NAME | deactivate NAME | rebalance NAME [-w SECONDS] [-n WORKERS] ...
#   storm nimbus | supervisor        runs a daemon, in the foreground
#   storm version | classpath | server_classpath | localconfvalue KEY | remoteconfvalue KEY
#   (also monitor, set_log_level, get-errors, kill_workers, upload-credentials, blobstore, heartbeats, admin)
#
# Options of every command, before or behind its other words:
#   -c KEY=VALUE     a setting that wins over storm.yaml; more than once
#   --config FILE    a file to read instead of storm.yaml
#   --               the end of storm's options: what follows is MAIN's, also a --config or -c of its own
#   --jars A,B       (jar) further jars for MAIN and the workers
#
# Environment: JAVA_HOME, STORM_CONF_DIR (default: conf beside bin), STORM_JAR_JVM_OPTS, STORM_EXT_CLASSPATH,
#              STORM_EXT_CLASSPATH_DAEMON. Clients prefer ~/.storm/storm.yaml, unless STORM_CONF_DIR is set.
set -euo pipefail
unset CDPATH

fail() {
  printf 'storm: %s\n' "$*" >&2
  exit 1
}

# The home is where this file is, through any chain of symbolic links.
script=${BASH_SOURCE[0]}
while [[ -L $script ]]; do
  folder=$(cd -P -- "$(dirname -- "$script")" && pwd)
  script=$(readlink -- "$script")
  [[ $script == /* ]] || script=$folder/$script
done
home=$(cd -P -- "$(dirname -- "$script")/.." && pwd)
[[ -d $home/lib && -d $home/lib-worker ]] || fail "$home is no Storm home: there is no lib and lib-worker in it."

if [[ -n ${JAVA_HOME:-} ]]; then
  java=$JAVA_HOME/bin/java
  [[ -x $java ]] || fail "JAVA_HOME is $JAVA_HOME, but there is no bin/java in it."
else
  java=$(command -v java) || fail "no java found. Put one on PATH, or point JAVA_HOME at it."
fi

cluster_conf=${STORM_CONF_DIR:-$home/conf}
client_conf=$cluster_conf
if [[ -z ${STORM_CONF_DIR:-} && -f ${HOME:-/nowhere}/.storm/storm.yaml ]]; then client_conf=$HOME/.storm; fi
log4j=$home/log4j2

usage() {
  sed -n '2,/^set -e/{/^set -e/d;s/^# \{0,1\}//;p}' "$home/bin/storm"
}

# As in a form's data: what is not a letter, a digit or one of _.- becomes %XX, a blank a plus.
encode() {
  local LC_ALL=C text=$1 out= i char
  for ((i = 0; i < ${#text}; i++)); do
    char=${text:i:1}
    case $char in
      [a-zA-Z0-9_.~-]) out+=$char ;;
      ' ') out+=+ ;;
      *)
        printf -v char '%%%02X' "'$char"
        # A byte above 127 may come out as a negative number: its last two digits are the byte.
        out+=%${char: -2}
        ;;
    esac
  done
  printf '%s' "$out"
}

(($# > 0)) || {
  usage >&2
  exit 1
}

command=$1
shift
words=()   # what is not an option of storm
settings=()
config=
jars=
server_class_path=
takes_value() {
  (($1 > 1)) || fail "$2 needs a value."
}
while (($# > 0)); do
  case $1 in
    -c | -storm_config_opts)
      takes_value $# "$1"
      settings+=("$2")
      shift
      ;;
    -c?*=*) settings+=("${1#-c}") ;;
    --config)
      takes_value $# "$1"
      config=$2
      shift
      ;;
    --config=*) config=${1#*=} ;;
    --jars)
      [[ $command == jar ]] || fail "--jars is an option of jar."
      takes_value $# "$1"
      jars=$2
      shift
      ;;
    --artifacts | --artifactRepositories | --mavenLocalRepositoryDirectory | --proxyUrl | --proxyUsername | --proxyPassword)
      fail "$1 is not taken: the program that fetches artifacts is in Storm's release alone. Give jars by --jars."
      ;;
    --storm-server-classpath) server_class_path=yes ;;
    --)
      shift
      words+=("$@")
      break
      ;;
    *) words+=("$1") ;;
  esac
  shift
done

options=
for setting in ${settings[@]+"${settings[@]}"}; do
  [[ $setting == ?*=* ]] || fail "-c $setting: expected KEY=VALUE."
  options+=${options:+,}$(encode "$setting")
done

# A setting as -c gives it, else the file, else the default. A plain "key: value" is all that is understood here.
setting_of() {
  local key=$1 value= one file=$cluster_conf/storm.yaml
  for one in ${settings[@]+"${settings[@]}"}; do
    if [[ $one == "$key="* ]]; then
      printf '%s' "${one#*=}"
      return
    fi
  done
  [[ -z $config ]] || file=$config
  if [[ -r $file ]]; then
    value=$(sed -n "s/^${key//./\\.}:[[:space:]]*//p" "$file" | tail -n 1)
    value=${value%%[[:space:]]#*}
    if [[ $value == \"*\" || $value == \'*\' ]]; then value=${value:1:${#value}-2}; fi
  fi
  printf '%s' "${value:-$2}"
}

joined() {
  local IFS=:
  printf '%s' "$*"
}

class_path_of() { # of a client ("worker") or of a daemon or tool ("daemon")
  local parts=()
  if [[ $1 == worker ]]; then parts+=("$home/lib-worker/*"); else parts+=("$home/lib/*"); fi
  parts+=("$home/extlib/*")
  [[ $1 == worker ]] || parts+=("$home/extlib-daemon/*")
  [[ -z ${STORM_EXT_CLASSPATH:-} ]] || parts+=("$STORM_EXT_CLASSPATH")
  [[ $1 == worker || -z ${STORM_EXT_CLASSPATH_DAEMON:-} ]] || parts+=("$STORM_EXT_CLASSPATH_DAEMON")
  shift
  parts+=("$@")
  joined "${parts[@]}"
}

common() {
  local logs
  logs=$(setting_of storm.log.dir "$home/logs")
  flags=("-Dstorm.home=$home" "-Dstorm.log.dir=$logs" "-Dstorm.conf.file=$config" "-Dstorm.options=$options"
    "-Ddaemon.name=$1")
}

client_logging() {
  if [[ -f $log4j/client.xml ]]; then flags+=("-Dlog4j2.configurationFile=$log4j/client.xml"); fi
}

# Runs a program of storm-core with the words of the command line.
tool() {
  common ""
  client_logging
  exec "$java" "${flags[@]}" -cp "$(class_path_of daemon "$client_conf" "$home/bin")" "$@"
}

daemon() { # NAME CLASS DEFAULT-OPTIONS
  local childopts
  ((${#words[@]} == 0)) || fail "$1 takes no '${words[0]}'."
  read -r -a childopts <<<"$(setting_of "$1.childopts" "$3")"
  common "$1"
  exec "$java" "${flags[@]}" ${childopts[@]+"${childopts[@]}"} -Djava.deserialization.disabled=true \
    "-Dlogfile.name=$1.log" "-Dlog4j2.configurationFile=$log4j/cluster.xml" \
    -cp "$(class_path_of daemon "$cluster_conf")" "$2"
}

needs_name() {
  ((${#words[@]} > 0)) || fail "$command needs the name of a topology; storm list has them."
}

jar() {
  ((${#words[@]} >= 2)) || fail "jar needs a file and a main class: storm jar FILE MAIN [ARG]..."
  local file=${words[0]} main=${words[1]} jvm=() extra=()
  [[ -r $file ]] || fail "there is no file $file."
  read -r -a jvm <<<"${STORM_JAR_JVM_OPTS:-}"
  if [[ -n $jars ]]; then IFS=, read -r -a extra <<<"$jars"; fi
  common ""
  client_logging
  local kind=worker
  [[ -z $server_class_path ]] || kind=server
  exec "$java" "${flags[@]}" ${jvm[@]+"${jvm[@]}"} "-Dstorm.jar=$file" "-Dstorm.dependency.jars=$jars" \
    '-Dstorm.dependency.artifacts={}' \
    -cp "$(class_path_of "$kind" "$file" "$client_conf" "$home/bin" ${extra[@]+"${extra[@]}"})" \
    "$main" ${words[@]+"${words[@]:2}"}
}

tools=org.apache.storm.command
case $command in
  jar) jar ;;
  nimbus) daemon nimbus org.apache.storm.daemon.nimbus.Nimbus -Xmx1024m ;;
  supervisor) daemon supervisor org.apache.storm.daemon.supervisor.Supervisor -Xmx256m ;;
  list) tool $tools.ListTopologies ${words[@]+"${words[@]}"} ;;
  kill)
    needs_name
    tool $tools.KillTopology "${words[@]}"
    ;;
  activate)
    needs_name
    tool $tools.Activate "${words[@]}"
    ;;
  deactivate)
    needs_name
    tool $tools.Deactivate "${words[@]}"
    ;;
  rebalance)
    needs_name
    tool $tools.Rebalance "${words[@]}"
    ;;
  monitor) tool $tools.Monitor ${words[@]+"${words[@]}"} ;;
  set_log_level) tool $tools.SetLogLevel ${words[@]+"${words[@]}"} ;;
  get-errors) tool $tools.GetErrors ${words[@]+"${words[@]}"} ;;
  kill_workers) tool $tools.KillWorkers ${words[@]+"${words[@]}"} ;;
  upload-credentials) tool $tools.UploadCredentials ${words[@]+"${words[@]}"} ;;
  blobstore) tool $tools.Blobstore ${words[@]+"${words[@]}"} ;;
  heartbeats) tool $tools.Heartbeats ${words[@]+"${words[@]}"} ;;
  admin) tool $tools.AdminCommands ${words[@]+"${words[@]}"} ;;
  version) tool org.apache.storm.utils.VersionInfo ;;
  classpath) class_path_of worker && echo ;;
  server_classpath) class_path_of daemon && echo ;;
  localconfvalue | remoteconfvalue)
    ((${#words[@]} == 1)) || fail "$command needs one key."
    [[ $command == localconfvalue ]] || client_conf=$cluster_conf
    tool $tools.ConfigValue "${words[@]}"
    ;;
  help | -h | --help) usage ;;
  *) fail "there is no command '$command'; storm help has them." ;;
esac
