// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.transport;

import io.safebunny.test.contract.bites.Fault;
import io.safebunny.test.contract.bites.Sabotage;
import io.safebunny.test.contract.bites.Sabotage.Calls;
import io.safebunny.topology.Topology;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;

/** The contract with a transport that has the current fault. */
class BrokenTransportContract extends MemoryTransportContractTest {

    /** The rule that is to fail takes this long; the others wait as long as those of a sound transport. */
    private static final Duration FAILING = Duration.ofSeconds(3);

    private final Queue<Topology> topologies = new ConcurrentLinkedQueue<>();
    private final Fault<BrokenTransportContract, Transport> fault = Fault.current();
    private final UnaryOperator<Transport> broken;
    private Duration patience = FAILING;

    BrokenTransportContract() {
        broken = fault.in(this, Transport.class);
    }

    @Override
    protected Transport newTransport(String node) {
        return broken.apply(
                Sabotage.sabotaged(Transport.class, super.newTransport(node), new Calls(), transport -> transport
                        .on(Transport::start)
                        .instead((real, topology) -> {
                            real.start(topology);
                            topologies.add(topology);
                        })));
    }

    /** One more, without the fault. */
    Transport soundTransport() {
        return super.newTransport("sound");
    }

    @BeforeEach
    void expect(TestInfo rule) {
        boolean failing =
                fault.rules().contains(rule.getTestMethod().orElseThrow().getName());
        patience = failing ? FAILING : super.patience();
    }

    @Override
    protected Duration patience() {
        return patience;
    }

    /** Queues a publication goes to. */
    Set<String> boundFor(String routingKey) {
        return topologies.stream()
                .flatMap(topology -> topology.bindings().stream())
                .filter(binding -> binding.routingKey().equals(routingKey))
                .map(Topology.Binding::queue)
                .collect(Collectors.toSet());
    }

    /** Keys whose publications go to the queue, its own name not among them. */
    Set<String> keysOf(String queue) {
        return topologies.stream()
                .flatMap(topology -> topology.bindings().stream())
                .filter(binding -> binding.queue().equals(queue)
                        && binding.exchange().equals(topologyOptions().mainExchange()))
                .map(Topology.Binding::routingKey)
                .collect(Collectors.toSet());
    }

    Set<String> consumerQueues() {
        return topologies.stream()
                .flatMap(topology -> topology.queues().stream())
                .map(Topology.Queue::name)
                .filter(queue -> !queue.endsWith("-poison")
                        && !queue.endsWith("-poison-archive")
                        && !queue.endsWith("-dead-letters")
                        && !queue.endsWith(".unrouted"))
                .collect(Collectors.toSet());
    }
}
