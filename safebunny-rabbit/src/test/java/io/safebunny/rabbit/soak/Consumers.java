// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.soak;

import io.safebunny.rabbit.instance.Instance;
import io.safebunny.rabbit.instance.InstanceOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/** The instances of the forgetful node, each in a process of its own, which are ended and replaced. For one thread at a time. */
final class Consumers implements AutoCloseable {

    private final IntFunction<InstanceOptions> options;
    private final Path logs;
    private final Consumer<String> ledger;
    private final List<Instance> instances = new ArrayList<>();
    private int started;

    /** @param options of the instance with this index */
    Consumers(int count, IntFunction<InstanceOptions> options, Path logs, Consumer<String> ledger) {
        this.options = options;
        this.logs = logs;
        this.ledger = ledger;
        for (int index = 0; index < count; index++) {
            instances.add(start(index));
        }
        instances.forEach(Instance::awaitReady);
    }

    int count() {
        return instances.size();
    }

    /** Ends an instance; an orderly end that takes too long is made short. */
    void end(int index, Consumer<Instance> end) {
        Instance instance = instances.get(index);
        try {
            end.accept(instance);
        } finally {
            instance.close();
        }
    }

    /** Starts another in place of the one that was ended. */
    void replace(int index) {
        instances.set(index, start(index));
        instances.get(index).awaitReady();
    }

    private Instance start(int index) {
        List<String> flags = List.of(
                "-Dlogback.configurationFile=soak/logback.xml",
                "-Dsoak.log=" + logs.resolve("consumer-" + ++started + ".log"));
        return Instance.start(ConsumerMain.class, flags, options.apply(index), ledger);
    }

    @Override
    public void close() {
        instances.forEach(Instance::close);
    }
}
