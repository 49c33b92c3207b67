// SPDX-License-Identifier: Apache-2.0
package io.safebunny.identity;

/** A pure function from a message's ancestry to its id: equal ancestry gives equal ids, on any instance, at any time. */
public interface IdScheme {

    /** @throws io.safebunny.failure.InvalidPublicationException when the scheme cannot compute an id from this ancestry */
    String idOf(Ancestry ancestry);

    /** Property value that selects the scheme. */
    String name();
}
