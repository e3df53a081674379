package io.waterwheel.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * A script that lets fish complete a command line: subcommands and options with the first sentence of their
 * descriptions, and the values of arguments that have a fixed set of them. Where any other argument stands, fish offers
 * files. Subcommands stand before all options, as in this command line.
 */
final class FishCompletion {
    private final String program;
    private final StringBuilder script = new StringBuilder();

    private FishCompletion(String program) {
        this.program = program;
    }

    /** The script for a program of this name, in whatever folder it is. */
    static String of(String program, CommandLine commands) {
        FishCompletion completion = new FishCompletion(program);
        completion.begin();
        completion.add(List.of(), commands.getCommandSpec());
        return completion.script.toString();
    }

    /** Two conditions: the words typed so far are these, or begin with these. A list in quotes is joined by spaces. */
    private void begin() {
        script.append("""
                function __NAME_is
                    set -l words (commandline -opc)
                    set -e words[1]
                    test "$words" = "$argv"
                end
                function __NAME_in
                    set -l words (commandline -opc)
                    set -e words[1]
                    string match -q -- "$argv *" "$words "
                end
                complete -c NAME -e
                """.replace("NAME", program));
    }

    private void add(List<String> words, CommandSpec command) {
        boolean group = !command.subcommands().isEmpty();
        String condition =
                " -n '" + ("__" + program + (group ? "_is " : "_in ") + String.join(" ", words)).strip() + "'";
        command.subcommands().forEach((name, sub) -> {
            if (!sub.getCommandSpec().usageMessage().hidden()) {
                line(condition + " -f -a " + quoted(name)
                        + described(sub.getCommandSpec().usageMessage().description()));
            }
        });
        for (OptionSpec option : command.options()) {
            if (!option.hidden()) {
                line(condition + names(option) + values(option) + described(option.description()));
            }
        }
        for (PositionalParamSpec parameter : command.positionalParameters()) {
            if (!parameter.hidden() && parameter.completionCandidates() != null) {
                line(condition + " -f -a " + quoted(candidates(parameter)));
            }
        }
        command.subcommands().forEach((name, sub) -> {
            List<String> longer = new ArrayList<>(words);
            longer.add(name);
            add(longer, sub.getCommandSpec());
        });
    }

    private void line(String rest) {
        script.append("complete -c ").append(program).append(rest).append('\n');
    }

    private static String names(OptionSpec option) {
        StringBuilder names = new StringBuilder();
        for (String name : option.names()) {
            names.append(name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.substring(1));
        }
        return names.toString();
    }

    private static String values(OptionSpec option) {
        // An option that may stand without its value must not take the next word for one.
        if (option.arity().min() == 0) {
            return "";
        }
        return option.completionCandidates() == null ? " -r" : " -x -a " + quoted(candidates(option));
    }

    /** As help shows them: this command line takes the names of constants in any case. */
    private static String candidates(ArgSpec argument) {
        return String.join(" ", argument.completionCandidates()).toLowerCase(Locale.ROOT);
    }

    private static String described(String[] description) {
        if (description.length == 0) {
            return "";
        }
        String text = String.join(" ", description).replace("%%", "%").replace("%n", " ");
        int end = text.indexOf(". ");
        String sentence = end < 0 ? text : text.substring(0, end);
        return " -d " + quoted(sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence);
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
