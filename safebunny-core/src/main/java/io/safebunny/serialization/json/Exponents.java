// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

/**
 * Finds numbers in JSON whose exponent is too large. Needed for numbers without a declared type, which become decimals: {@code
 * 1e1000000000} is harmless only until something is added to it. Pure.
 */
final class Exponents {

    /** Also the limit for declared decimals, which {@link ExactNumbers} reads. */
    static final int LARGEST = 1_000;

    private Exponents() {}

    /** @param json valid JSON; the parser checks that */
    static boolean areTooLarge(byte[] json) {
        boolean inText = false;
        for (int at = 0; at < json.length; at++) {
            byte c = json[at];
            if (inText && c == '\\') {
                at++;
            } else if (c == '"') {
                inText = !inText;
            } else if (!inText && (c == 'e' || c == 'E') && at > 0 && isDigit(json[at - 1]) && tooLarge(json, at + 1)) {
                return true;
            }
        }
        return false;
    }

    private static boolean tooLarge(byte[] json, int from) {
        int at = from < json.length && (json[from] == '+' || json[from] == '-') ? from + 1 : from;
        int exponent = 0;
        while (at < json.length && isDigit(json[at]) && exponent <= LARGEST) {
            exponent = exponent * 10 + json[at] - '0';
            at++;
        }
        return exponent > LARGEST;
    }

    private static boolean isDigit(byte c) {
        return c >= '0' && c <= '9';
    }
}
