// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.serialization.MessageSerializer;
import org.jspecify.annotations.Nullable;

/**
 * The contract of every {@link MessageSerializer}. Extend it and create yours. It must read and write Java records without prior
 * registration.
 */
public abstract class MessageSerializerContract implements ContentTypeRules, PayloadRules, ForeignBodyRules {

    private @Nullable MessageSerializer tested; // guarded by this

    /** The serializer under test, new or shared. Called once per test. */
    protected abstract MessageSerializer serializer();

    @Override
    public final synchronized MessageSerializer tested() {
        MessageSerializer made = tested == null ? serializer() : tested;
        tested = made;
        return made;
    }
}
