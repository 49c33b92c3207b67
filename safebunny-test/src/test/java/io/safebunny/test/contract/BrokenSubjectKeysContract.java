// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.encryption.SubjectKeys;
import io.safebunny.test.contract.bites.Fault;
import io.safebunny.test.encryption.MemorySubjectKeys;

/** The contract with a place of keys that has the current fault. */
class BrokenSubjectKeysContract extends SubjectKeysContract {

    private final MemorySubjectKeys keys = new MemorySubjectKeys();

    @Override
    protected SubjectKeys keys() {
        return Fault.<BrokenSubjectKeysContract, SubjectKeys>current()
                .in(this, SubjectKeys.class)
                .apply(keys);
    }
}
