package io.waterwheel.geo;

/** A part of the globe; a shape's border belongs to it. Positions are longitude and latitude in degrees. */
public sealed interface Shape permits Box, Polygon, Circle {}
