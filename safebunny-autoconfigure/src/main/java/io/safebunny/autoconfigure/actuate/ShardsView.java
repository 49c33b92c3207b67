// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import io.safebunny.order.sharding.ShardStatus;
import io.safebunny.order.sharding.ShardStatus.Line;
import io.safebunny.order.sharding.ShardStatus.Resize;
import io.safebunny.order.sharding.Shards;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How the types that are divided into shards are divided just now, by type. Thread-safe. */
final class ShardsView {

    private final Shards shards;

    ShardsView(Shards shards) {
        this.shards = shards;
    }

    Map<String, Object> look() {
        Map<String, Object> view = new LinkedHashMap<>();
        shards.statuses().forEach(status -> view.put(status.type(), shown(status)));
        return view;
    }

    private static Map<String, Object> shown(ShardStatus status) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("wanted", status.wanted());
        view.put("present", status.present());
        view.put("resize", shown(status.change()));
        view.put("shards", status.shards().stream().map(ShardsView::shown).toList());
        view.put("note", status.problem());
        return view;
    }

    private static @Nullable Map<String, Object> shown(@Nullable Resize change) {
        if (change == null) {
            return null;
        }
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("from", change.from());
        view.put("to", change.to());
        view.put("since", change.since());
        view.put("undrained", change.undrained());
        return view;
    }

    private static Map<String, Object> shown(Line line) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("shard", line.shard());
        view.put("waiting", line.waiting());
        view.put("heard", line.isHeard());
        view.put("listened", line.isListened());
        return view;
    }
}
