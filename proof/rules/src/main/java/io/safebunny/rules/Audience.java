// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rules;

import java.util.Set;

/** For whom the public types of a package are. */
enum Audience {
    /** A change breaks applications. */
    USERS("for users"),
    /** A change breaks transports, stores and serializers of others. */
    PROVIDERS("SPI, for those who write a transport, a store, …"),
    /** A change breaks applications that put the engine together by hand, which the starter does for all others. */
    OURSELVES("public only for other packages of SafeBunny");

    private static final String ROOT = "io.safebunny";
    private static final Set<String> FOR_USERS = Set.of(
            ROOT,
            ROOT + ".failure",
            ROOT + ".message",
            ROOT + ".middleware",
            ROOT + ".saga",
            ROOT + ".poison",
            ROOT + ".actuate",
            ROOT + ".encryption",
            ROOT + ".memory",
            ROOT + ".jdbc.store",
            ROOT + ".jdbc.outbox",
            ROOT + ".cosmos",
            ROOT + ".crypto",
            ROOT + ".vault",
            ROOT + ".cbor",
            ROOT + ".protobuf");

    /** The SPIs, and what those speak of. */
    private static final Set<String> FOR_PROVIDERS = Set.of(
            ROOT + ".failure.details",
            ROOT + ".store",
            ROOT + ".store.record",
            ROOT + ".transport",
            ROOT + ".serialization",
            ROOT + ".identity",
            ROOT + ".time",
            ROOT + ".topology");

    private final String text;

    Audience(String text) {
        this.text = text;
    }

    static Audience of(String packageName) {
        if (FOR_PROVIDERS.contains(packageName)) {
            return PROVIDERS;
        }
        return FOR_USERS.contains(packageName) || packageName.startsWith(ROOT + ".test.") ? USERS : OURSELVES;
    }

    @Override
    public String toString() {
        return text;
    }
}
