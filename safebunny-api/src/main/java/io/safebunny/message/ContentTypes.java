// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import java.util.Locale;
import java.util.Set;

/** Content types that SafeBunny itself treats in a special way. */
public final class ContentTypes {

    /** Of bodies in Protocol Buffers, as SafeBunny writes it. */
    public static final String PROTOBUF = "application/x-protobuf";

    private static final Set<String> OF_PROTOBUF =
            Set.of(PROTOBUF, "application/protobuf", "application/vnd.google.protobuf");

    private ContentTypes() {}

    /**
     * Whether bodies of this content type are in Protocol Buffers, in which the bytes of one message may be in another order each time.
     *
     * @param contentType as received: any text, perhaps with parameters
     */
    public static boolean isProtobuf(String contentType) {
        if (!contentType.regionMatches(true, 0, "application/", 0, 12) || contentType.equals("application/json")) {
            return false;
        }
        int parameters = contentType.indexOf(';');
        String media = parameters < 0 ? contentType : contentType.substring(0, parameters);
        return OF_PROTOBUF.contains(media.trim().toLowerCase(Locale.ROOT));
    }
}
