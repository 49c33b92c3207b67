// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.erasing;

import io.safebunny.encryption.BunnySubjects;
import io.safebunny.encryption.Erasure;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

class Goodbye {
    private final BunnySubjects subjects;

    Goodbye(BunnySubjects subjects) {
        this.subjects = subjects;
    }

    @Nullable
    Instant to(String customer) {
        Erasure erased = subjects.erase(customer);
        return erased.holdsFrom();
    }
}
