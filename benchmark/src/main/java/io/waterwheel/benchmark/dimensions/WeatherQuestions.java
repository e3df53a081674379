package io.waterwheel.benchmark.dimensions;

import java.util.List;

/** Ten questions about the weather, after those of [Colmenares 2017]. */
final class WeatherQuestions {
    private static final Question SNOW_HEIGHTS = of("1", "avg(elevation_m)", "SNOW");
    private static final Question SNOW_IN_COLORADO =
            inBox("3", "avg(value)", "SNOW", "-109", "-102", "37", "41").where("elevation_m", "1000", "");

    /** As they are. Of the United States, the set has no rows for half of them. */
    static final List<Question> ALL = List.of(
            SNOW_HEIGHTS,
            of("2", "avg(value)", "TMIN").where("elevation_m", "4000", ""),
            SNOW_IN_COLORADO,
            inBox("4", "count(value)", "WT10", "-102", "-94.633", "37", "40"),
            inBox("5", "avg(value)", "TAVG", "-5.4327", "1.7688", "50.447", "54.6961"),
            inBox("6", "avg(value)", "SNWD", "-152.282", "-152.281", "63.9", "64.0"),
            inBox("7", "max(value)", "TMAX", "126.227", "129.6442", "34.3117", "38.1043"),
            of("8", "count(value)", "TMAX").where("value", "545", ""),
            of("9", "count(value)", "WT08").where("elevation_m", "-999.9", "0"),
            of("10", "max(elevation_m)", "WT07"));

    /** The same kinds with bounds that have rows. */
    static final List<Question> HERE = List.of(
            SNOW_HEIGHTS,
            of("2", "avg(value)", "TMIN").where("elevation_m", "2500", ""),
            SNOW_IN_COLORADO,
            inBox("4", "count(value)", "WT03", "-102", "-94.633", "37", "40"),
            inBox("5", "avg(value)", "TOBS", "-95.4327", "-88.2312", "40.447", "44.6961"),
            inBox("6", "avg(value)", "SNWD", "-106", "-105.5", "39.5", "40"),
            inBox("7", "max(value)", "TMAX", "-86.227", "-82.6442", "34.3117", "38.1043"),
            of("8", "count(value)", "TMAX").where("value", "445", ""),
            of("9", "count(value)", "WT01").where("elevation_m", "-999.9", "0"),
            of("10", "max(elevation_m)", "WT05"));

    private WeatherQuestions() {}

    private static Question of(String name, String aggregate, String element) {
        return Question.of(name, aggregate).where("element", element, element);
    }

    private static Question inBox(
            String name, String aggregate, String element, String west, String east, String south, String north) {
        return of(name, aggregate, element).where("longitude", west, east).where("latitude", south, north);
    }
}
