// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.exchange;

import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Looked;
import java.util.ArrayList;
import java.util.List;

/**
 * What one instance knows of an id, as it tells others. Immutable.
 *
 * @param shared whether the other instances of its node read the same store, and so know the same of records and sagas
 */
public record SharedPart(NodeStory part, boolean shared) {

    /** The same, of the instance that has really sent it. */
    SharedPart from(String node, String instance) {
        return new SharedPart(
                new NodeStory(
                        node,
                        instance,
                        part.asOf(),
                        part.foundAs(),
                        part.correlationIds(),
                        part.troubles(),
                        part.sagas(),
                        part.messages(),
                        part.pauses(),
                        part.moved(),
                        part.outbox(),
                        part.scheduled(),
                        part.looked(),
                        part.truncated()),
                shared);
    }

    /** The same, of an instance that has not answered the question after that. */
    SharedPart unsure(String why) {
        List<Looked> looked = new ArrayList<>(part.looked());
        looked.add(new Looked("its latest answer", 0, why));
        return new SharedPart(part.withLooked(looked), shared);
    }

    /** What differs from instance to instance, even if they share a store. */
    SharedPart ofInstance() {
        return new SharedPart(
                new NodeStory(
                        part.node(),
                        part.instance(),
                        part.asOf(),
                        part.foundAs(),
                        part.correlationIds(),
                        part.troubles(),
                        List.of(),
                        List.of(),
                        part.pauses(),
                        part.moved(),
                        List.of(),
                        List.of(),
                        List.of(),
                        false),
                shared);
    }
}
