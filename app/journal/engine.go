package journal

func Signal(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}
