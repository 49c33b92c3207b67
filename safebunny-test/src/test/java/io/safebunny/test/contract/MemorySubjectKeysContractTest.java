// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.encryption.SubjectKeys;
import io.safebunny.test.encryption.MemorySubjectKeys;

class MemorySubjectKeysContractTest extends SubjectKeysContract {

    private final MemorySubjectKeys keys = new MemorySubjectKeys();

    @Override
    protected SubjectKeys keys() {
        return keys;
    }
}
