// SPDX-License-Identifier: Apache-2.0
package io.safebunny.claimcheck;

import io.safebunny.bodies.BodyStore;
import io.safebunny.test.contract.BodyStoreContract;
import io.safebunny.time.Timeline;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;

class FileBodyStoreContractTest extends BodyStoreContract {

    @TempDir
    private @Nullable Path folder;

    @Override
    protected BodyStore store(Timeline timeline) {
        return new FileBodyStore(Objects.requireNonNull(folder), timeline);
    }
}
