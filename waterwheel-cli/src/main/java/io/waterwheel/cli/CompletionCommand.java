package io.waterwheel.cli;

import io.waterwheel.cli.output.Terminal;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code waterwheel completion}. */
@Command(
        name = "completion",
        description = {
            "Print a script that lets the shell complete commands and options.",
            "zsh takes the same script as bash; it switches bash's way of completion on by itself."
        },
        footer = {
            "",
            "Examples:",
            "  source <(waterwheel completion bash)",
            "  waterwheel completion zsh > ~/.waterwheel-completion; echo 'source ~/.waterwheel-completion' >> ~/.zshrc"
        })
final class CompletionCommand implements Callable<Integer> {
    /** Shells that understand the script. */
    enum Shell {
        BASH,
        ZSH
    }

    private final Terminal terminal;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "bash|zsh", description = "The shell.")
    private Shell shell = Shell.BASH;

    CompletionCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        String script = AutoComplete.bash("waterwheel", spec.root().commandLine());
        // Whoever calls it by its path from the build folder has it completed too.
        terminal.out()
                .println("# " + shell.name().toLowerCase(java.util.Locale.ROOT) + ", made by waterwheel completion");
        terminal.out().println(script.stripTrailing());
        terminal.out().println("complete -F _complete_waterwheel -o default ./waterwheel");
        return 0;
    }
}
