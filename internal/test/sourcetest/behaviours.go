package sourcetest

import "slices"

// behaviours lists all behaviours.
func behaviours() []behaviour {
	return slices.Concat(stampBehaviours, keyBehaviours, pageBehaviours, childBehaviours, deletionBehaviours, faultBehaviours,
		sessionBehaviours, snapshotBehaviours, describeBehaviours, typeBehaviours, timeBehaviours, timelessBehaviours, rowKeyBehaviours, hintBehaviours, sumBehaviours, modelBehaviours)
}
