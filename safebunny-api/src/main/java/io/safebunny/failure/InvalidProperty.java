// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure;

import java.time.Duration;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.unit.DataSize;

/** Makes the exceptions for invalid property values. They name the property, the value and what is allowed. */
public final class InvalidProperty {

    private static final String CODE = "SB-1301";
    private static final long MEBIBYTE = DataSize.ofMegabytes(1).toBytes();
    private static final int LONGEST = 100;

    private InvalidProperty() {}

    /**
     * @param value the value, which is shortened and stripped of control characters; never a secret
     * @param allowed what is allowed, as the rest of a sentence
     * @param action what to change, ready to paste where possible
     */
    public static ConfigurationException of(String property, Object value, String allowed, String action) {
        return new ConfigurationException(
                CODE, "Invalid property [%s=%s]: %s.".formatted(property, printable(show(value)), allowed), action);
    }

    /**
     * @param fallback the property's default, for the advice
     * @throws ConfigurationException SB-1301 when the value is out of range
     */
    public static <T extends Comparable<T>> void unlessWithin(T min, T max, String property, T value, String fallback) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw of(
                    property,
                    value,
                    "it must be %s to %s".formatted(show(min), show(max)),
                    "Set %s to a value in that range, or remove it to get the default, %s."
                            .formatted(property, fallback));
        }
    }

    /**
     * @param fallback the property's default, for the advice
     * @throws ConfigurationException SB-1301 when the value is smaller
     */
    public static <T extends Comparable<T>> void unlessAtLeast(T min, String property, T value, String fallback) {
        if (value.compareTo(min) < 0) {
            throw of(
                    property,
                    value,
                    "it must be at least %s".formatted(show(min)),
                    "Remove %s to get the default, %s.".formatted(property, fallback));
        }
    }

    /**
     * @param other the property whose value is the minimum
     * @throws ConfigurationException SB-1301 when the value is smaller
     */
    public static <T extends Comparable<T>> void unlessAtLeastThatOf(String other, T min, String property, T value) {
        if (value.compareTo(min) < 0) {
            throw of(
                    property,
                    value,
                    "it must be at least that of %s, %s".formatted(other, show(min)),
                    "Set %s=%s or more.".formatted(property, show(min)));
        }
    }

    private static String printable(String value) {
        String shortened = value.length() > LONGEST ? value.substring(0, LONGEST) + "…" : value;
        return shortened.replaceAll("\\p{C}", "?");
    }

    private static String show(Object value) {
        if (value instanceof Duration duration) {
            return duration.isZero() ? "0s" : DurationFormatterUtils.print(duration, DurationFormat.Style.COMPOSITE);
        }
        if (value instanceof DataSize size) {
            return size.toBytes() >= MEBIBYTE && size.toBytes() % MEBIBYTE == 0
                    ? size.toMegabytes() + "MB"
                    : size.toString();
        }
        return String.valueOf(value);
    }
}
