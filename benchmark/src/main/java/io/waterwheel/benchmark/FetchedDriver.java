package io.waterwheel.benchmark;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Driver;

/** JDBC drivers that are no dependencies, for they are large: Maven fetches each once, as class docs say. */
public enum FetchedDriver {
    DUCKDB("org/duckdb/duckdb_jdbc/2.0.0.1/duckdb_jdbc-2.0.0.1.jar", "org.duckdb.DuckDBDriver"),
    SQLITE("org/xerial/sqlite-jdbc/3.54.1.0/sqlite-jdbc-3.54.1.0.jar", "org.sqlite.JDBC"),
    FLIGHT_SQL(
            "org/apache/arrow/flight-sql-jdbc-driver/18.3.0/flight-sql-jdbc-driver-18.3.0.jar",
            "org.apache.arrow.driver.jdbc.ArrowFlightJdbcDriver");

    private final String path;
    private final String driver;

    FetchedDriver(String path, String driver) {
        this.path = path;
        this.driver = driver;
    }

    /**
     * Its jar.
     *
     * @param named a file; empty for the one that Maven fetched
     * @throws IllegalArgumentException when it is not there
     */
    public Path jar(String named) {
        Path jar = named.isEmpty()
                ? Path.of(System.getProperty("user.home"), ".m2/repository").resolve(path)
                : Path.of(named);
        if (!Files.exists(jar)) {
            throw new IllegalArgumentException(
                    jar + ": no such file; fetch it, or leave it out, as the class doc says");
        }
        return jar;
    }

    /** The driver of its jar. Its classes stay until the process ends. */
    public Driver load(Path jar) throws Exception {
        URLClassLoader loader = new URLClassLoader(new URL[] {jar.toUri().toURL()});
        return (Driver) loader.loadClass(driver).getDeclaredConstructor().newInstance();
    }
}
