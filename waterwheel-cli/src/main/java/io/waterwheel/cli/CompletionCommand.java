package io.waterwheel.cli;

import io.waterwheel.cli.output.Terminal;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code waterwheel completion}. */
@Command(
        name = "completion",
        description = {
            "Print a script that lets the shell complete commands, options and their values.",
            "zsh takes the same script as bash; it switches bash's way of completion on by itself."
        },
        footer = {
            "",
            "Examples:",
            "  source <(waterwheel completion bash)",
            "  waterwheel completion zsh > ~/.waterwheel-completion; echo 'source ~/.waterwheel-completion' >> ~/.zshrc",
            "  waterwheel completion fish > ~/.config/fish/completions/waterwheel.fish"
        })
final class CompletionCommand implements Callable<Integer> {
    /** Shells that a script can be printed for. */
    enum Shell {
        BASH,
        ZSH,
        FISH
    }

    private final Terminal terminal;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "bash|zsh|fish", description = "The shell.")
    private Shell shell = Shell.BASH;

    CompletionCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        CommandLine commands = spec.root().commandLine();
        terminal.out().println("# " + shell.name().toLowerCase(Locale.ROOT) + ", made by waterwheel completion");
        if (shell == Shell.FISH) {
            terminal.out().print(FishCompletion.of("waterwheel", commands));
            return 0;
        }
        terminal.out().println(AutoComplete.bash("waterwheel", commands).stripTrailing());
        // bash knows a program by the words it is called by: this is the launcher in the project's folder.
        terminal.out().println("complete -F _complete_waterwheel -o default ./waterwheel");
        return 0;
    }
}
