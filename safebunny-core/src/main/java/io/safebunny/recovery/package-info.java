// SPDX-License-Identifier: Apache-2.0
/** What happens to a message whose handling failed: pure decisions from policy and failure to an action. */
@NullMarked
package io.safebunny.recovery;

import org.jspecify.annotations.NullMarked;
