# dotspot's answers for bash. Words are put together again as they were typed: bash breaks them at COMP_WORDBREAKS, such as : and =
_dotspot() {
    local rest=${COMP_LINE:0:COMP_POINT} words=() word blank before reply i
    for ((i = 0; i <= COMP_CWORD; i++)); do
        blank=${rest%%[![:space:]]*}
        rest=${rest#"$blank"}
        word=$rest
        if ((i < COMP_CWORD)); then
            word=${COMP_WORDS[i]}
            rest=${rest#*"$word"}
        fi
        if [[ $i -gt 0 && -z $blank ]]; then
            words[${#words[@]} - 1]+=$word
        else
            words+=("$word")
        fi
    done
    # what is before the part that readline replaces, without the quote that begins this part
    before=${words[${#words[@]} - 1]%"$2"}
    before=${before%[\"\']}
    COMPREPLY=()
    reply=$(_CLAP_IFS=$'\n' _CLAP_COMPLETE_INDEX=$((${#words[@]} - 1)) DOTSPOT_COMPLETE=bash \
        dotspot -- "${words[@]}") || return
    while IFS= read -r word; do
        if [[ -n $word && $word == "$before"* ]]; then
            COMPREPLY+=("${word#"$before"}")
        fi
    done <<<"$reply"
    if [[ ${COMPREPLY-} != *[=/:] ]] && type compopt &>/dev/null; then
        compopt +o nospace
    fi
}
if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)); then
    complete -o nospace -o bashdefault -o nosort -F _dotspot dotspot
else
    complete -o nospace -o bashdefault -F _dotspot dotspot
fi
