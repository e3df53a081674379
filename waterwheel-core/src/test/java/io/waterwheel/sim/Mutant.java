package io.waterwheel.sim;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * The simulation on shipped classes of which some are compiled from a changed source: in memory, so that shipped code
 * needs no switches for tests. They have a loader of their own, and so has each package whose classes use theirs,
 * whether directly or through others. All other packages are those of the tests: what they need not be is loaded and
 * compiled anew for each of a hundred bugs.
 */
public final class Mutant extends ClassLoader {
    private static final Path SOURCES = Path.of("src", "main", "java", "io", "waterwheel");
    private static final String OURS = "io.waterwheel.";
    private static final Pattern WHITE = Pattern.compile("\\s+");

    /** One a thread: it keeps the class path's jars open, and what the compiler has read of them. */
    private static final ThreadLocal<StandardJavaFileManager> LIBRARIES = new ThreadLocal<>();

    private static final Pattern REFERENCE = Pattern.compile("io/waterwheel/[\\w/$]+");

    /** By simulation, for each package of what it uses the packages whose classes name one of it. */
    private static final Map<String, Map<String, Set<String>>> USERS = new ConcurrentHashMap<>();

    private final Map<String, byte[]> changed;
    private final Set<String> own;

    private Mutant(Map<String, byte[]> changed, String simulation) {
        super(Mutant.class.getClassLoader());
        this.changed = changed;
        Map<String, Set<String>> users = USERS.computeIfAbsent(simulation, Mutant::users);
        own = new HashSet<>();
        Deque<String> left = new ArrayDeque<>();
        left.add(packageOf(simulation));
        changed.keySet().forEach(name -> left.add(packageOf(name)));
        while (!left.isEmpty()) {
            String each = left.remove();
            if (own.add(each)) {
                left.addAll(users.getOrDefault(each, Set.of()));
            }
        }
    }

    /** Of all classes that a simulation may come to, by the names in them: a few too many rather than one too few. */
    private static Map<String, Set<String>> users(String simulation) {
        Map<String, Set<String>> users = new HashMap<>();
        Set<String> seen = new HashSet<>(Set.of(simulation));
        Deque<String> left = new ArrayDeque<>(seen);
        while (!left.isEmpty()) {
            String name = left.remove();
            byte[] bytes = bytes(Mutant.class.getClassLoader(), name);
            if (bytes == null) {
                continue;
            }
            Matcher matcher = REFERENCE.matcher(new String(bytes, StandardCharsets.ISO_8859_1));
            while (matcher.find()) {
                String used = matcher.group().replace('/', '.');
                users.computeIfAbsent(packageOf(used), key -> new HashSet<>()).add(packageOf(name));
                if (seen.add(used)) {
                    left.add(used);
                }
            }
        }
        return users;
    }

    private static String packageOf(String name) {
        return name.substring(0, name.lastIndexOf('.'));
    }

    /** Null where there is no such class. */
    private static byte @Nullable [] bytes(ClassLoader loader, String name) {
        try (InputStream in = loader.getResourceAsStream(name.replace('.', '/') + ".class")) {
            return in == null ? null : in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
    }

    /** The simulation with a planted bug: a seed to what failed, empty when nothing did. */
    static LongFunction<String> simulation(PlantedBug bug) throws ReflectiveOperationException, IOException {
        Class<?> simulation = new Mutant(compile(bug), SeedRun.class.getName()).loadClass(SeedRun.class.getName());
        var constructor = simulation.getDeclaredConstructor(String.class);
        constructor.setAccessible(true);
        return run(constructor.newInstance(bug.world().name()));
    }

    /**
     * Another module's simulation with a planted bug in that module.
     *
     * @param simulation has a constructor without parameters
     */
    public static LongFunction<String> simulation(PlantedBug bug, Class<? extends LongFunction<String>> simulation)
            throws ReflectiveOperationException, IOException {
        var constructor = new Mutant(compile(bug), simulation.getName())
                .loadClass(simulation.getName())
                .getDeclaredConstructor();
        constructor.setAccessible(true);
        return run(constructor.newInstance());
    }

    // Of java.util on both sides of the loader.
    @SuppressWarnings("unchecked")
    private static LongFunction<String> run(Object simulation) {
        return (LongFunction<String>) simulation;
    }

    private static Map<String, byte[]> compile(PlantedBug bug) throws IOException {
        Map<String, String> sources = new LinkedHashMap<>();
        for (PlantedBug.Change change : bug.changes()) {
            Path file = SOURCES.resolve(change.file() + ".java");
            String source = sources.containsKey(change.file()) ? sources.get(change.file()) : Files.readString(file);
            sources.put(change.file(), replaced(bug, file, source, change));
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            throw new IOException("planted bugs need a JDK: this Java has no compiler");
        }
        Map<String, byte[]> classes = new HashMap<>();
        StringWriter messages = new StringWriter();
        StandardJavaFileManager libraries = LIBRARIES.get();
        if (libraries == null) {
            libraries = compiler.getStandardFileManager(null, null, null);
            LIBRARIES.set(libraries);
        }
        List<JavaFileObject> units = new ArrayList<>();
        sources.forEach((name, text) -> units.add(new Source(name, text)));
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        boolean compiled = compiler.getTask(
                        messages,
                        new Memory(libraries, classes),
                        null,
                        List.of("-proc:none", "-nowarn", "-classpath", classPath),
                        null,
                        units)
                .call();
        if (!compiled) {
            throw new IOException("planted bug '" + bug.name() + "' does not compile: " + messages);
        }
        return classes;
    }

    private static String replaced(PlantedBug bug, Path file, String source, PlantedBug.Change change)
            throws IOException {
        StringBuilder pattern = new StringBuilder();
        for (String word : WHITE.split(change.text().trim(), -1)) {
            pattern.append(pattern.isEmpty() ? "" : "\\s+").append(Pattern.quote(word));
        }
        Matcher matcher = Pattern.compile(pattern.toString()).matcher(source);
        if (!matcher.find()) {
            throw new IOException("planted bug '" + bug.name() + "': " + file + " no longer has the text \""
                    + change.text() + "\"; plant it in what took its place");
        }
        String result = source.substring(0, matcher.start()) + change.replacement() + source.substring(matcher.end());
        if (matcher.find()) {
            throw new IOException("planted bug '" + bug.name() + "': " + file + " has the text \"" + change.text()
                    + "\" more than once; make it longer");
        }
        return result;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(OURS) || !own.contains(packageOf(name))) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : findClass(name);
        }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        byte[] bytes = changed.get(name);
        if (bytes == null) {
            bytes = bytes(getParent(), name);
        }
        if (bytes == null) {
            throw new ClassNotFoundException(name);
        }
        return defineClass(name, bytes, 0, bytes.length);
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String name, String text) {
            super(URI.create("planted:///io/waterwheel/" + name + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    private static final class Memory extends ForwardingJavaFileManager<JavaFileManager> {
        private final Map<String, byte[]> classes;

        Memory(JavaFileManager standard, Map<String, byte[]> classes) {
            super(standard);
            this.classes = classes;
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("planted:///" + className + ".class"), kind) {
                @Override
                public OutputStream openOutputStream() {
                    return new ByteArrayOutputStream() {
                        @Override
                        public void close() {
                            classes.put(className, toByteArray());
                        }
                    };
                }
            };
        }
    }
}
