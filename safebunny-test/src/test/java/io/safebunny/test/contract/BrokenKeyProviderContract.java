// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.encryption.KeyProvider;
import io.safebunny.test.contract.bites.Fault;
import io.safebunny.test.encryption.MemoryKeys;

/** The contract with keys that have the current fault. */
class BrokenKeyProviderContract extends KeyProviderContract {

    private final MemoryKeys keys = MemoryKeys.of("payments", "names");

    @Override
    protected KeyProvider keys() {
        return Fault.<BrokenKeyProviderContract, KeyProvider>current()
                .in(this, KeyProvider.class)
                .apply(keys);
    }

    @Override
    protected void rotate(String key) {
        String unused = keys.rotate(key);
    }
}
