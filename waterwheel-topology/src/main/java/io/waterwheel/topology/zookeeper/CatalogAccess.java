package io.waterwheel.topology.zookeeper;

import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * Who we are to ZooKeeper, and who may do what with the nodes that we create. Where coordinators answer may be read by
 * all, though the rest has an owner: clients look it up, and have no credentials. Its text never shows the secret.
 * Immutable.
 */
public final class CatalogAccess {
    /** Without credentials; nodes are open to all. */
    public static final CatalogAccess OPEN = new CatalogAccess(null, "none", false);

    private static final String ADDRESSES = "/coordinators";
    private static final ACL READ_BY_ALL = new ACL(ZooDefs.Perms.READ, ZooDefs.Ids.ANYONE_ID_UNSAFE);

    private final byte @Nullable [] credentials;
    private final String source;
    private final boolean creatorOnly;

    private CatalogAccess(byte @Nullable [] credentials, String source, boolean creatorOnly) {
        this.credentials = credentials;
        this.source = source;
        this.creatorOnly = creatorOnly;
    }

    /** As the configuration says. */
    public static CatalogAccess of(WaterwheelConfig config) {
        return of(config.get(Keys.ZOOKEEPER_AUTH), config.get(Keys.ZOOKEEPER_ACL), System::getenv);
    }

    /**
     * Reads the credentials.
     *
     * @param auth {@code none}, {@code env:VARIABLE} or {@code file:/path}
     * @param acl {@code open} or {@code creator}
     * @throws IllegalArgumentException when they are not there, or not {@code user:password}
     */
    static CatalogAccess of(String auth, String acl, UnaryOperator<@Nullable String> environment) {
        boolean creatorOnly = acl.toLowerCase(Locale.ROOT).equals("creator");
        if (auth.equals("none")) {
            if (creatorOnly) {
                throw new IllegalArgumentException("zookeeper.acl creator needs credentials: set zookeeper.auth to"
                        + " env:VARIABLE or file:/path of a line user:password, or zookeeper.acl to open");
            }
            return OPEN;
        }
        String secret = auth.startsWith("env:")
                ? environment.apply(auth.substring("env:".length()))
                : line(auth, Path.of(auth.substring("file:".length())));
        if (secret == null) {
            throw new IllegalArgumentException(
                    "zookeeper.auth " + auth + ": the variable is not set in this process's environment");
        }
        int colon = secret.indexOf(':');
        if (colon < 1 || colon == secret.length() - 1) {
            throw new IllegalArgumentException("zookeeper.auth " + auth
                    + ": expected one line user:password, got something else (" + secret.length() + " characters)");
        }
        return new CatalogAccess(secret.getBytes(StandardCharsets.UTF_8), auth, creatorOnly);
    }

    private static String line(String auth, Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new UncheckedIOException("zookeeper.auth " + auth + ": the file cannot be read", e);
        }
    }

    byte @Nullable [] credentials() {
        return credentials == null ? null : credentials.clone();
    }

    /** Of a node that is created, by its full path, in the catalog with this root. */
    List<ACL> acl(String root, String path) {
        if (!creatorOnly) {
            return ZooDefs.Ids.OPEN_ACL_UNSAFE;
        }
        return isForClients(root, path) ? rootAcl() : ZooDefs.Ids.CREATOR_ALL_ACL;
    }

    /** Ours, and to be read by all. */
    List<ACL> rootAcl() {
        List<ACL> acl = new ArrayList<>(ZooDefs.Ids.CREATOR_ALL_ACL);
        acl.add(READ_BY_ALL);
        return acl;
    }

    /**
     * Whether we let clients read what they need: the addresses, and above the catalog the names of those there are.
     */
    boolean isForClients(String root, String path) {
        String addresses = (root.equals("/") ? "" : root) + ADDRESSES;
        return creatorOnly
                && (path.equals(addresses) || path.startsWith(addresses + "/") || root.startsWith(path + "/"));
    }

    /** Whether a node that clients must be able to read was made when only its creator was. */
    boolean lacksReaders(List<ACL> present) {
        return present.stream()
                .noneMatch(acl ->
                        acl.getId().equals(ZooDefs.Ids.ANYONE_ID_UNSAFE) && (acl.getPerms() & ZooDefs.Perms.READ) != 0);
    }

    ACLProvider provider(String root) {
        return new ACLProvider() {
            @Override
            public List<ACL> getDefaultAcl() {
                return acl(root, root);
            }

            @Override
            public List<ACL> getAclForPath(String path) {
                return acl(root, path);
            }
        };
    }

    /** Where the credentials come from, and who may do what; not the credentials. */
    @Override
    public String toString() {
        return "zookeeper.auth " + source + ", zookeeper.acl " + (creatorOnly ? "creator" : "open");
    }
}
