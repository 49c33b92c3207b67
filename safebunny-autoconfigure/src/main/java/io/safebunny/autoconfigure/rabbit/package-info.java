// SPDX-License-Identifier: Apache-2.0
/**
 * The transport over RabbitMQ: connections copied from the application's, events for other tools, and the command that shows, applies and
 * exports the topology. The auto-configurations of other packages are named as text, so that these packages do not depend on them.
 */
@NullMarked
package io.safebunny.autoconfigure.rabbit;

import org.jspecify.annotations.NullMarked;
