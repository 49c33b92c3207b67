// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.encryption.KeyProvider;
import io.safebunny.test.encryption.MemoryKeys;

class MemoryKeysContractTest extends KeyProviderContract {

    private final MemoryKeys keys = MemoryKeys.of("payments", "names");

    @Override
    protected KeyProvider keys() {
        return keys;
    }

    @Override
    protected void rotate(String key) {
        String unused = keys.rotate(key);
    }
}
