// SPDX-License-Identifier: Apache-2.0
package io.safebunny.vault;

import java.util.Map;

/** What Vault said, when it said something for certain. Immutable. */
sealed interface Answer {

    /** It did what it was asked for. */
    record Given(Map<String, Object> data) implements Answer {

        /** Names no value: they may be keys. */
        @Override
        public String toString() {
            return "Given" + data.keySet();
        }
    }

    /**
     * It cannot do that, now or later: the key, its version, or what was to be opened is to blame.
     *
     * @param why in Vault's words, which quote nothing of what it was sent
     */
    record Refused(String why) implements Answer {}

    /**
     * The token is valid, and none of its policies allows the path.
     *
     * @param capability that a policy would need to have
     */
    record Forbidden(String path, String capability) implements Answer {

        String whatToDo() {
            return "no policy of this node's token allows it. Add: path \"%s\" { capabilities = [\"%s\"] }"
                    .formatted(path, capability);
        }
    }
}
