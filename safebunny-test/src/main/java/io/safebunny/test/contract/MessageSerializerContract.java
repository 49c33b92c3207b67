// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.serialization.MessageSerializer;
import org.jspecify.annotations.Nullable;

/**
 * What every {@link MessageSerializer} promises. Extend it, and say how to make yours. It is given records, which it has to read and write
 * without being told of them before.
 */
public abstract class MessageSerializerContract implements ContentTypeRules, PayloadRules, ForeignBodyRules {

    private @Nullable MessageSerializer tested; // guarded by this

    /** A new one, or one that is used elsewhere too. Asked for once per test. */
    protected abstract MessageSerializer serializer();

    @Override
    public final synchronized MessageSerializer tested() {
        MessageSerializer made = tested == null ? serializer() : tested;
        tested = made;
        return made;
    }
}
