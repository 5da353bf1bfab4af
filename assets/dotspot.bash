# dotspot's answers for bash. Words are put together again as they were typed: bash breaks them at COMP_WORDBREAKS, such as : and =
_dotspot() {
    local rest=${COMP_LINE:0:COMP_POINT} words=() word blank before reply index quote= i
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
    index=$((${#words[@]} - 1))
    # what is before the part that readline replaces, without the quote that begins this part
    before=${words[index]%"$2"}
    if [[ $before == *[\"\'] ]]; then
        quote=1
        before=${before%?}
    fi
    # behind the cursor there may be the profile
    words+=("${COMP_WORDS[@]:COMP_CWORD + 1}")
    COMPREPLY=()
    reply=$(_CLAP_IFS=$'\n' _CLAP_COMPLETE_INDEX=$index DOTSPOT_COMPLETE=bash \
        dotspot -- "${words[@]}") || return
    while IFS= read -r word; do
        if [[ -n $word && $word == "$before"* ]]; then
            COMPREPLY+=("${word#"$before"}")
        fi
    done <<<"$reply"
    type compopt &>/dev/null || return 0
    if [[ ${COMPREPLY-} != *[=/:] ]]; then
        compopt +o nospace
    elif [[ $quote && ${#COMPREPLY[@]} -eq 1 && $COMPREPLY == */ ]]; then
        # readline leaves the quote of a folder open if it knows that it is one
        compopt -o filenames -o noquote 2>/dev/null
    fi
    return 0
}
if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)); then
    complete -o nospace -o bashdefault -o nosort -F _dotspot dotspot
else
    complete -o nospace -o bashdefault -F _dotspot dotspot
fi
