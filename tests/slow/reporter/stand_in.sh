#!/bin/sh
# Stands in for dotTrace's Reporter in tests: takes the same arguments and behaves as the snapshot's name says.
# Next to the snapshot it leaves its arguments (.args), its folder's permissions (.folder), its own location (.stands) and
# its processes (.pids).

printf '%s\n' "$@" >> "$2.args"
echo "dotTrace Reporter (stand-in)"
[ "$1" = report ] || { echo "Error: no command"; exit 64; }
snapshot=$2
what=$(basename "$snapshot" .dtp)
shift 2
for option; do
    case $option in
        --pattern=*) pattern=${option#*=} ;;
        --save-to=*) report=${option#*=} ;;
        --overwrite) ;;
        --save-signature)
            case $what in
                old | middle-aged | old-and-refused) echo "Unknown option: $option" >&2; exit 2 ;;
            esac ;;
        --no-check-for-updates) [ "$what" = old ] && { echo "Unknown option: $option" >&2; exit 2; } ;;
        *) echo "Unknown option: $option" >&2; exit 65 ;;
    esac
done
grep -q '<Pattern PrintCallstacks="Full">\.\*</Pattern>' "$pattern" || { echo "Error: this pattern is not for trees"; exit 66; }
ls -ld "$(dirname "$report")" > "$snapshot.folder"
pwd > "$snapshot.stands"
# dotTrace's own temporary files
mktemp > /dev/null

# The times add up: 334.5 = 0.5 + 300 + 34, and 300 = 4 + 296.
write_report() {
    cat > "$report" << 'END'
<?xml version="1.0" encoding="utf-8"?>
<Report>
  <Function Id="0x01" FQN="Acme.Program.Main" TotalTime="334.5" OwnTime="0.5" Calls="1" Instances="1">
    <Instance CallStack="Acme.Program.Main" TotalTime="334.5" OwnTime="0.5" Calls="1"/>
  </Function>
  <Function Id="0x02" FQN="Acme.Book.Match(System.Int32)" TotalTime="300" OwnTime="4" Calls="10" Instances="1">
    <Instance CallStack="Acme.Program.Main/Acme.Book.Match(System.Int32)" TotalTime="300" OwnTime="4" Calls="10"/>
  </Function>
  <Function Id="0x03" FQN="Acme.Book.Match(System.String)" TotalTime="34" OwnTime="34" Calls="8" Instances="1">
    <Instance CallStack="Acme.Program.Main/Acme.Book.Match(System.String)" TotalTime="34" OwnTime="34" Calls="8"/>
  </Function>
  <Function Id="0x04" FQN="Acme.Book.Scan" TotalTime="296" OwnTime="296" Calls="100" Instances="1">
    <Instance CallStack="Acme.Program.Main/Acme.Book.Match(System.Int32)/Acme.Book.Scan" TotalTime="296" OwnTime="296" Calls="100"/>
  </Function>
</Report>
END
}

# Waits with a child that holds both outputs open.
wait_long() {
    sleep 1000 &
    echo "$$ $!" > "$snapshot.pids.part"
    mv "$snapshot.pids.part" "$snapshot.pids"
    wait
}

case $what in
    whole | old | middle-aged) write_report ;;
    code-after-report) write_report; echo "Error: could not look for updates" >&2; exit 3 ;;
    refused) echo "Copyright and so on"; echo "Error: this snapshot was taken by a newer version" >&2; exit 1 ;;
    usage | old-and-refused)
        echo "Error: the snapshot is damaged" >&2
        echo "usage: Reporter report FILE [--overwrite] [--save-signature] [--no-check-for-updates]" >&2
        exit 1 ;;
    silent) exit 9 ;;
    timeline) echo "Timeline snapshots are not supported" >&2; exit 1 ;;
    hangs) wait_long ;;
    killed) write_report; echo "working"; kill -9 $$ ;;
    no-report) ;;
    pipe) mkfifo "$report" ;;
    device) ln -s /dev/zero "$report" ;;
    empty) : > "$report" ;;
    cut) write_report; head -n 10 "$report" > "$report.part"; mv "$report.part" "$report" ;;
    cut-early) printf '<?xml version="1.0"?>\n<Rep' > "$report" ;;
    garbage) printf 'PK\003\004 this is no report' > "$report"; printf '\377\376\033[31m\000\n' ;;
    other-xml) echo '<Report></Report>' > "$report" ;;
    leaves-child) write_report; sleep 1000 & echo "$!" > "$snapshot.pids" ;;
    floods) write_report; head -c 100000000 /dev/zero; head -c 100000000 /dev/zero >&2 ;;
    *) echo "Error: no such behaviour: $what" >&2; exit 67 ;;
esac
